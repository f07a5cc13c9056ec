"""How much of her own stream a start reads."""

import pytest

from soul.mind.archive import NEWEST_BYTES, Archive
from soul.store import AtomicFile

pytestmark = pytest.mark.usefixtures('quick_disk')

TURNS = 60


@pytest.fixture
def folder(tmp_path):
    """A stream of her own of more than is read at once: each turn about a twentieth of it."""
    archive = Archive(tmp_path / 'sessions')
    for number in range(1, TURNS + 1):
        archive.life.append({'kind': 'begun', 'wake': [1, number], 'sequence': number}, False)
        text = f'{number} ' + 'x' * (NEWEST_BYTES // 20)
        message = {'role': 'user', 'content': text}
        archive.life.append({'kind': 'message', 'message': message}, False)
        archive.life.append({'kind': 'turn', 'turn': {'sequence': number}}, False)
    archive.close()
    return tmp_path / 'sessions'


def carried(folder):
    archive = Archive(folder)
    begun = [entry['sequence'] for entry in archive.past if entry['kind'] == 'begun']
    session = archive.open('')
    archive.close()
    return begun, [lived.sequence for lived in session.past]


def test_where_an_account_covers_the_rest_only_the_newest_part_is_read(folder):
    AtomicFile(folder / 'life.json').write({'upto': TURNS - 5, 'chapters': ['earlier']})
    begun, past = carried(folder)
    assert TURNS - 20 <= begun[0] <= TURNS - 4
    assert past == list(range(TURNS - 4, TURNS + 1))


@pytest.mark.parametrize('upto', [0, 5, TURNS - 40])
def test_what_no_account_covers_is_carried_along(folder, upto):
    AtomicFile(folder / 'life.json').write({'upto': upto, 'chapters': []})
    _, past = carried(folder)
    assert past == list(range(upto + 1, TURNS + 1))
