"""What the child process of :mod:`soul.mind.confined` does; reads and writes lines of JSON.

Run as a program: the arguments are how much memory it may take, bytes, its parent, and the modules
that are loaded before it is ready.
"""

from __future__ import annotations

import base64
import codecs
import contextlib
import ctypes
import importlib
import json
import os
import re
import resource
import signal
import sys
from collections.abc import Callable, Mapping
from typing import Any

_PR_SET_PDEATHSIG = 1
#: Parts of a page that are not its text.
NO_TEXT = ('script', 'style', 'noscript', 'template', 'svg', 'nav', 'footer', 'form')
#: Nesting of a page beyond which its tree is not made; lines between tags are taken then.
DEEPEST = 400
#: How deep calls may go: a tree is walked by calls.
RECURSION = 20_000
_CHARSET = re.compile(rb'<meta[^>]{0,200}?charset=["\']?\s*([\w.:-]{1,40})', re.I)
_NAMED = re.compile(r'charset=["\']?\s*([\w.:-]{1,40})', re.I)


def page_text(content: str, kind: str) -> str:
    """Return what a person would read of a page.

    Parameters
    ----------
    content
        The page, base64.
    kind
        Its content type as the server named it, with the character set if it names one.
    """
    data = base64.b64decode(content)
    text = _decoded(data, kind)
    if 'html' not in kind.lower():
        return text
    from bs4 import BeautifulSoup

    if _depth(text) > DEEPEST:
        return _without_tags(text)
    soup = BeautifulSoup(text, 'html.parser')
    title = soup.title.get_text(' ', strip=True) if soup.title else ''
    for part in soup(NO_TEXT):
        part.decompose()
    body = soup.find('main') or soup.find('article') or soup.body or soup
    lines = (line.strip() for line in body.get_text('\n').splitlines())
    return '\n'.join(line for line in (title, *lines) if line)


def _decoded(data: bytes, kind: str) -> str:
    """Decode a page: by its mark, the server's word, its own word, or as UTF-8."""
    for mark, name in (
        (codecs.BOM_UTF8, 'utf-8-sig'),
        (codecs.BOM_UTF16_LE, 'utf-16'),
        (codecs.BOM_UTF16_BE, 'utf-16'),
    ):
        if data.startswith(mark):
            return data.decode(name, 'replace')
    named = _NAMED.search(kind)
    meta = _CHARSET.search(data[:4096])
    names = [named[1]] if named else [meta[1].decode('ascii', 'replace')] if meta else []
    for name in names:
        with contextlib.suppress(LookupError, ValueError):
            # browsers read Latin-1 as its superset, and so do the pages that name it
            latin = codecs.lookup(name).name in ('iso8859-1', 'ascii')
            return data.decode('cp1252' if latin else name, 'replace')
    return data.decode('utf-8', 'replace')


def _depth(text: str) -> int:
    """Return about how deep the tags of a page lie in each other."""
    depth = deepest = 0
    for found in re.finditer(r'<(/?)[a-zA-Z]', text):
        depth = max(0, depth - 1) if found[1] else depth + 1
        deepest = max(deepest, depth)
    # tags that nobody closes make no page deep, but its tree
    return deepest


def _without_tags(text: str) -> str:
    pieces, position = [], 0
    while (start := text.find('<', position)) >= 0:
        pieces.append(text[position:start])
        end = text.find('>', start)
        if end < 0:
            position = start + 1
            break
        position = end + 1
    pieces.append(text[position:])
    lines = (' '.join(piece.split()) for piece in pieces)
    return '\n'.join(line for line in lines if line)


_VALIDATORS: dict[str, Any] = {}


def check(schema: Mapping[str, Any], arguments: Mapping[str, Any]) -> str:
    """Say why arguments do not fit a JSON schema; empty: they do."""
    from jsonschema import Draft202012Validator
    from jsonschema.exceptions import SchemaError
    from referencing import Registry
    from referencing.exceptions import Unresolvable

    key = json.dumps(schema, sort_keys=True)
    if key not in _VALIDATORS:
        _VALIDATORS.clear()
        # a registry of its own: what a schema refers to elsewhere is never fetched
        _VALIDATORS[key] = Draft202012Validator(schema, registry=Registry())
    try:
        error = next(iter(_VALIDATORS[key].iter_errors(arguments)), None)
    except (SchemaError, Unresolvable, re.error, TypeError, ValueError, AttributeError) as wrong:
        raise ValueError(f'the schema of this tool is wrong: {wrong}') from None
    if error is None:
        return ''
    place = '.'.join(str(part) for part in error.absolute_path)
    return f'{place}: {error.message[:500]}' if place else str(error.message[:500])


def schema_problem(schema: Mapping[str, Any]) -> str:
    """Say what is wrong with a JSON schema; empty: it can be used.

    What refers to another place than itself, or to itself without end, cannot.
    """
    from jsonschema import Draft202012Validator
    from jsonschema.exceptions import SchemaError

    try:
        Draft202012Validator.check_schema(dict(schema))
        for value in _values(schema):
            reference = value.get('$ref')
            if isinstance(reference, str) and not reference.startswith('#'):
                return f'it refers to {reference[:100]!r}, which is not fetched'
            for pattern in (value.get('pattern'), *_keys(value.get('patternProperties'))):
                if isinstance(pattern, str):
                    re.compile(pattern)
        check(schema, {})
    except SchemaError as wrong:
        return wrong.message[:300]
    except re.error as wrong:
        return f'a pattern of it is none: {wrong}'
    except RecursionError:
        return 'it refers to itself without end'
    except ValueError as wrong:
        return str(wrong)[:300]
    return ''


def _keys(value: Any) -> list[Any]:
    return list(value) if isinstance(value, Mapping) else []


def _values(value: Any) -> Any:
    """Yield every object within a value."""
    waiting = [value]
    while waiting:
        one = waiting.pop()
        if isinstance(one, Mapping):
            yield one
            waiting += one.values()
        elif isinstance(one, list):
            waiting += one


WORK: dict[str, Callable[..., Any]] = {
    'page_text': page_text,
    'check': check,
    'schema_problem': schema_problem,
}


def _end_with(parent: int) -> None:
    """Let the kernel end this process when its parent dies, however that comes about.

    In the middle of a piece of work nothing else would: it would go on by itself for ever.
    """
    ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
    if os.getppid() != parent:  # it has died already
        sys.exit(1)


def main() -> None:
    """Do one piece of work for each line of the input."""
    memory, parent = int(sys.argv[1]), int(sys.argv[2])
    _end_with(parent)
    resource.setrlimit(resource.RLIMIT_AS, (memory, memory))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    sys.setrecursionlimit(RECURSION)
    output = sys.stdout
    sys.stdout = sys.stderr  # whatever a library prints is no answer
    for module in sys.argv[3:]:
        importlib.import_module(module)
    output.write('ready\n')
    output.flush()
    for line in sys.stdin:
        asked = json.loads(line)
        try:
            answer = {'result': WORK[asked['work']](**asked['arguments'])}
        except (ValueError, LookupError, TypeError, RecursionError) as error:
            answer = {'error': f'{error or type(error).__name__}'}
        except MemoryError:
            answer = {'error': 'it took more memory than it may'}
        output.write(json.dumps(answer) + '\n')
        output.flush()


if __name__ == '__main__':
    main()
