"""Changes `<home>/models.yaml` without losing what a person has written into it."""

from __future__ import annotations

import io
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from ruamel.yaml import YAML
from ruamel.yaml.error import YAMLError

from soul.mind.providers.catalogue import CatalogueError, ModelCatalogue
from soul.mind.providers.model_entry import FILE
from soul.store.durable import make_folder
from soul.store.text import replace_text

_BEGINNING = """\
# The models she thinks with, in the order in which they are asked. What is not said here is taken
# from what is known of a provider and its models; docs/models.md explains every line.
models: []
"""


class ModelsFile:
    """The file of one home; every change is checked before it is written.

    Parameters
    ----------
    home
        Whose file.

    Raises
    ------
    CatalogueError
        If it cannot be read.
    """

    def __init__(self, home: Path) -> None:
        self._path = home / FILE
        self._yaml = YAML()
        self._yaml.preserve_quotes = True
        self._yaml.width = 1000
        try:
            text = self._path.read_text(encoding='utf-8')
        except FileNotFoundError:
            text = _BEGINNING
        except (OSError, UnicodeDecodeError) as error:
            raise CatalogueError(f'{self._path} cannot be read: {error}') from error
        try:
            content = self._yaml.load(text)
        except YAMLError as error:
            raise CatalogueError(f'{self._path} is no YAML: {error}') from error
        self._content = self._yaml.load(_BEGINNING) if content is None else content
        self.catalogue = self._checked()

    def add(self, entry: Mapping[str, Any]) -> None:
        """Add a model as the last one that is asked."""
        if not self._content.get('models'):
            self._content['models'] = []
        self._content['models'].append(dict(entry))
        self._write()

    def remove(self, name: str) -> None:
        """Remove a model; raises CatalogueError if there is none of that name."""
        del self._content['models'][self._place(name)]
        self._write()

    def enable(self, name: str, enabled: bool) -> None:
        """Let a model be asked, or not."""
        model = self._content['models'][self._place(name)]
        if enabled:
            model.pop('enabled', None)
        else:
            model['enabled'] = False
        self._write()

    def order(self, names: Sequence[str]) -> None:
        """Put these models first, in this order; the others follow in theirs."""
        models = self._content['models']
        places = [self._place(name) for name in names]
        if len(set(places)) != len(places):
            raise CatalogueError('a model stands twice in the order')
        first = [models[place] for place in places]
        models[:] = first + [m for place, m in enumerate(models) if place not in places]
        self._write()

    def _place(self, name: str) -> int:
        names = [model.name for model in self.catalogue.models]
        if name not in names:
            known = ', '.join(names) or 'none; soul models add <provider>/<model>'
            raise CatalogueError(f'{name!r} is none of her models: {known}')
        return names.index(name)

    def _checked(self) -> ModelCatalogue:
        if not isinstance(self._content, Mapping):
            raise CatalogueError(f'{self._path}: `models:` and a list of models is wanted')
        return ModelCatalogue.of(self._content, self._path)

    def _write(self) -> None:
        self.catalogue = self._checked()
        text = io.StringIO()
        self._yaml.dump(self._content, text)
        make_folder(self._path.parent)
        replace_text(self._path, text.getvalue())
