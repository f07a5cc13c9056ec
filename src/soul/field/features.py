"""Declared features: how each is predicted, read from YAML."""

from __future__ import annotations

from pathlib import Path

from pydantic import ValidationError

from soul.field.beliefs import FeatureSpec
from soul.text.resources import resource
from soul.text.tables import TableUnreadable, problems, read_table


def load(extra: str = '') -> dict[str, FeatureSpec]:
    """Read the declared features and, over them, those of the file `extra`.

    Parameters
    ----------
    extra
        Path of a YAML file; empty: none. A feature it names replaces the standard one.

    Raises
    ------
    TableUnreadable
        Naming the file and what is wrong in it.
    """
    raw = read_table(resource('features.yaml'))
    if extra:
        raw |= read_table(Path(extra).expanduser())
    specs = {}
    for name, entry in raw.items():
        try:
            specs[name] = FeatureSpec.model_validate(entry or {})
        except ValidationError as error:
            raise TableUnreadable(
                f'{extra or "features.yaml"}: {name}: {problems(error)}'
            ) from None
    return specs
