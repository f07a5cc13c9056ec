"""The repair of the wheels' CMake files, on a small tree made by hand."""

import pytest

from soulenv.repair import Includes, repair_tree, repaired

OWN = Includes(python='/home/\\1/include/python3.12', numpy='/home/np/include')


@pytest.mark.parametrize(('tag', 'version'), [('cp310', '3.10'), ('cp312', '3.12')])
@pytest.mark.parametrize('core', ['core', '_core'])
def test_replaces_both_directories_for_any_python(tag, version, core):
    prefix = f'/opt/python/{tag}-{tag}'
    text = (
        f'set(_dirs "include;{prefix}/include/python{version};'
        f'{prefix}/lib/python{version}/site-packages/numpy/{core}/include;/usr/include")'
    )

    assert repaired(text, OWN) == f'set(_dirs "include;{OWN.python};{OWN.numpy};/usr/include")'


def test_leaves_everything_else_alone():
    text = 'set(_dirs "/opt/python/include;${_IMPORT_PREFIX}/include")'

    assert repaired(text, OWN) == text


def test_repairs_only_cmake_files_and_says_which(tmp_path):
    broken = 'x "/opt/python/cp312-cp312/include/python3.12"'
    cmake = tmp_path / 'share' / 'std_msgs' / 'cmake'
    cmake.mkdir(parents=True)
    (cmake / 'a.cmake').write_text(broken)
    (cmake / 'whole.cmake').write_text('x')
    (cmake.parent / 'package.xml').write_text(broken)

    assert repair_tree(tmp_path, OWN) == [cmake / 'a.cmake']
    assert (cmake / 'a.cmake').read_text() == f'x "{OWN.python}"'
    assert (cmake.parent / 'package.xml').read_text() == broken
    assert repair_tree(tmp_path, OWN) == []


def test_does_not_write_through_a_link_into_a_cache(tmp_path):
    cached = tmp_path / 'cached.cmake'
    cached.write_text('"/opt/python/cp311-cp311/include/python3.11"')
    cmake = tmp_path / 'share' / 'p' / 'cmake'
    cmake.mkdir(parents=True)
    (cmake / 'a.cmake').hardlink_to(cached)

    repair_tree(tmp_path, OWN)

    assert 'cp311' in cached.read_text()
    assert OWN.python in (cmake / 'a.cmake').read_text()


def test_keeps_bytes_that_are_not_utf8(tmp_path):
    cmake = tmp_path / 'share' / 'p' / 'cmake'
    cmake.mkdir(parents=True)
    (cmake / 'a.cmake').write_bytes(b'# \xff\n/opt/python/cp311-cp311/include/python3.11\r\n')

    repair_tree(tmp_path, OWN)

    assert (cmake / 'a.cmake').read_bytes() == b'# \xff\n' + OWN.python.encode() + b'\r\n'
