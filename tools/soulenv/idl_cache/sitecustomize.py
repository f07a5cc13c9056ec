"""Parse each IDL file once in a build instead of ten times.

Ten generators of rosidl run one after the other, and each parses every interface anew with a
slow grammar: more than half of their time. While the messages are built, this directory is on
PYTHONPATH, so that Python imports this module at its start; it lets the parser keep its syntax
trees in files named by the hash of what was parsed. What is generated stays the same. If rosidl
is not what is expected here, nothing is changed and the build is only slower.
"""

import hashlib
import importlib.abc
import importlib.util
import os
import pickle
import sys
from pathlib import Path

_PARSER = 'rosidl_parser.parser'
_FUNCTION = 'get_ast_from_idl_string'


def remembering(parse, folder):
    """Wrap a function of one string so that its results are kept in files."""

    def remembered(text):
        path = folder / hashlib.sha256(text.encode()).hexdigest()
        try:
            return pickle.loads(path.read_bytes())
        except (OSError, EOFError, pickle.UnpicklingError, AttributeError, ImportError):
            tree = parse(text)
        new = path.with_name(f'{path.name}.{os.getpid()}')
        new.write_bytes(pickle.dumps(tree))
        # another generator may have parsed the same: the last one wins, both are alike
        new.replace(path)
        return tree

    return remembered


class ParserFinder(importlib.abc.MetaPathFinder):
    """Find rosidl's parser as usual, and wrap its function once it has been loaded."""

    def __init__(self, folder):
        self.folder = folder

    def find_spec(self, name, path, target=None):
        """Take part in the import of the parser only."""
        if name != _PARSER:
            return None
        sys.meta_path.remove(self)
        spec = importlib.util.find_spec(name)
        if spec is None or spec.loader is None:
            return spec
        execute = spec.loader.exec_module

        def exec_module(module):
            execute(module)
            parse = getattr(module, _FUNCTION, None)
            if parse is not None:
                setattr(module, _FUNCTION, remembering(parse, self.folder))

        spec.loader.exec_module = exec_module
        return spec


if 'SOUL_IDL_CACHE' in os.environ:
    _folder = Path(os.environ['SOUL_IDL_CACHE'])
    _folder.mkdir(parents=True, exist_ok=True)
    sys.meta_path.insert(0, ParserFinder(_folder))
