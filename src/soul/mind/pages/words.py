"""Her language for her own pages: `config/life/<language>.yaml`."""

from __future__ import annotations

from soul.text.phrases import Phrases, load_phrases

FOLDER = 'life'


def load(language: str) -> Phrases:
    """Read a language.

    Parameters
    ----------
    language
        Name of a file in `config/life` without .yaml, or the path of a YAML file.

    Raises
    ------
    TableUnreadable
        If there is no such language, or it does not say all that English says.
    """
    return load_phrases(FOLDER, language)
