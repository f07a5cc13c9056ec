"""Searching and reading the web."""

from __future__ import annotations

import base64
import json
import os
from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, Any, Literal
from urllib.parse import urljoin, urlsplit

import anyio
from pydantic import Field

from soul.mind import bounded
from soul.mind.confined import Confined, WorkFailed
from soul.mind.tools.addresses import BadAddress, only_public
from soul.mind.tools.base import Arguments, Result, Tool, ToolContext
from soul.mind.tools.granted import Executed, granted
from soul.signals import ActState

if TYPE_CHECKING:
    import httpx

CATEGORY = 'web'
#: Largest page that is read, bytes; longest time, s; most redirects.
LARGEST = 3_000_000
SECONDS = 20.0
REDIRECTS = 5
#: So many results are shown.
SHOWN = 8
AGENT = 'soul'
READABLE = ('text/', 'application/json', 'application/xml', 'application/xhtml')
#: Largest answer of a search engine, bytes.
LARGEST_RESULTS = 1_000_000

Reach = Callable[[str], Awaitable[list[Any]]]


class SearchArguments(Arguments):
    """Arguments of search_web."""

    query: str = Field(min_length=1, max_length=400, description='What you look for.')


class PageArguments(Arguments):
    """Arguments of read_page."""

    url: str = Field(min_length=1, max_length=2000, description='The address of the page.')
    start: int = Field(0, ge=0, description='From which character on, to read further.')


class Trouble(Exception):
    """Why nothing was found or read."""


class Web:
    """Gets pages.

    Parameters
    ----------
    reach
        Says which addresses a URL's host has, or raises BadAddress; by default only public ones
        are reached.
    """

    def __init__(self, reach: Reach = only_public) -> None:
        self._reach = reach

    async def get(self, url: str) -> tuple[str, str, bytes]:
        """Get a page; returns its final address, its kind and its content.

        Raises
        ------
        Trouble
            If it cannot be had.
        """
        import httpx  # only when it is used: it takes a while

        try:
            with anyio.fail_after(SECONDS):  # however slowly it comes, and however often it moves
                return await self._get(url)
        except TimeoutError:
            raise Trouble(f'{url} takes longer than {SECONDS:g} s') from None
        except BadAddress as wrong:
            raise Trouble(str(wrong)) from None
        except (bounded.TooMuch, httpx.HTTPError, httpx.InvalidURL) as error:
            raise Trouble(f'{url} cannot be read: {error or type(error).__name__}') from None

    async def _get(self, url: str) -> tuple[str, str, bytes]:
        import httpx

        async with httpx.AsyncClient(timeout=SECONDS, trust_env=False) as client:
            for _ in range(REDIRECTS + 1):
                status, headers, content = await self._one(client, url)
                if status not in (301, 302, 303, 307, 308) or 'location' not in headers:
                    break
                url = urljoin(url, headers['location'])
            else:
                raise Trouble(f'{url} leads from one address to the next')
        if status != 200:
            raise Trouble(f'{url} answered {status}')
        return url, headers.get('content-type', ''), content

    async def _one(self, client: httpx.AsyncClient, url: str) -> tuple[int, httpx.Headers, bytes]:
        """Get one page from the very address that was checked."""
        address = str((await self._reach(url))[0])
        parts = urlsplit(url)
        host = f'[{address}]' if ':' in address else address
        port = f':{parts.port}' if parts.port else ''
        pinned = parts._replace(netloc=host + port).geturl()
        name = parts.hostname or ''
        request = client.build_request(
            'GET',
            pinned,
            headers={
                'Host': f'{name}{port}',
                'User-Agent': AGENT,
                'Accept': 'text/*, */*;q=0.5',
                **bounded.PLAIN,
            },
            extensions={'sni_hostname': name},
        )
        response = await client.send(request, stream=True)
        try:
            content = await bounded.whole(response, LARGEST, cut=True)
            return response.status_code, response.headers, content
        finally:
            await response.aclose()


async def text_of(kind: str, content: bytes, confined: Confined) -> str:
    """Return what a person would read of a page.

    Parameters
    ----------
    confined
        Where it is read: a page may be made so that reading it never ends.

    Raises
    ------
    Trouble
        If there is nothing to read.
    """
    if not kind.startswith(READABLE):
        raise Trouble(f'it holds no text ({kind or "of an unknown kind"})')
    page = base64.b64encode(content).decode('ascii')
    try:
        return str(await confined.run('page_text', content=page, kind=kind))
    except WorkFailed as why:
        raise Trouble(f'its text could not be made out: {why}') from None


class Search:
    """A search engine.

    Parameters
    ----------
    engine
        searxng: an instance of one's own (`url` is its address); brave: the Brave Search API.
    key_env
        Environment variable that holds the key.
    """

    def __init__(self, engine: Literal['searxng', 'brave'], url: str, key_env: str) -> None:
        self._engine = engine
        self._url = url.rstrip('/')
        self._key_env = key_env

    async def find(self, query: str) -> list[tuple[str, str, str]]:
        """Search; returns (title, address, excerpt).

        Raises
        ------
        Trouble
            If nothing can be found out.
        """
        import httpx  # only when it is used: it takes a while

        headers = {'User-Agent': AGENT, 'Accept': 'application/json', **bounded.PLAIN}
        if self._engine == 'brave':
            address = f'{self._url or "https://api.search.brave.com"}/res/v1/web/search'
            headers['X-Subscription-Token'] = os.environ.get(self._key_env, '')
            parameters = {'q': query, 'count': str(SHOWN)}
        else:
            address, parameters = f'{self._url}/search', {'q': query, 'format': 'json'}
        try:
            with anyio.fail_after(SECONDS):
                async with (
                    httpx.AsyncClient(timeout=SECONDS, trust_env=False) as client,
                    client.stream('GET', address, params=parameters, headers=headers) as response,
                ):
                    content = await bounded.whole(response, LARGEST_RESULTS)
        except TimeoutError:
            raise Trouble(f'the search takes longer than {SECONDS:g} s') from None
        except (bounded.TooMuch, httpx.HTTPError, httpx.InvalidURL) as error:
            raise Trouble(f'the search cannot be reached: {error}') from None
        if response.status_code != 200:
            raise Trouble(f'the search answered {response.status_code}')
        return _results(content)


def _results(content: bytes) -> list[tuple[str, str, str]]:
    try:
        answer = json.loads(content)
        found = answer['web']['results'] if 'web' in answer else answer['results']
        return [
            (
                str(one.get('title') or ''),
                str(one['url']),
                str(one.get('content') or one.get('description') or ''),
            )
            for one in found[:SHOWN]
        ]
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        raise Trouble('the search answered something that is no result') from None


def search_web(search: Search) -> Tool[Any]:
    """The tool that searches."""

    async def run(given: SearchArguments, context: ToolContext) -> Result:
        async def act() -> Executed:
            try:
                found = await search.find(given.query)
            except Trouble as trouble:
                return Executed(f'Nothing was found: {trouble}.', ActState.FAILED)
            lines = [f'{title} <{url}>\n{excerpt}' for title, url, excerpt in found]
            text = '\n\n'.join(lines) or 'There is nothing about it.'
            return Executed(text, seen=f'{given.query}: {text}'[:2000])

        return await granted(context, 'search_web', CATEGORY, given.query, act)

    return Tool(
        'search_web',
        'Search the web.',
        SearchArguments,
        run,
        routine=False,
        category=CATEGORY,
        origin='web',
    )


def read_page(web: Web, confined: Confined, window: int) -> Tool[Any]:
    """The tool that reads a page, `window` characters at a time."""

    async def run(given: PageArguments, context: ToolContext) -> Result:
        async def act() -> Executed:
            try:
                url, kind, content = await web.get(given.url)
                text = await text_of(kind, content, confined)
            except Trouble as trouble:
                return Executed(f'The page was not read: {trouble}.', ActState.FAILED)
            shown = text[given.start : given.start + window]
            if not shown:
                return Executed(f'The page has {len(text)} characters.', ActState.FAILED)
            left = len(text) - given.start - len(shown)
            more = f'\n\n({left} characters more, from {given.start + window})' if left else ''
            return Executed(shown + more, receipt=url, seen=f'{url}: {shown}'[:2000])

        return await granted(context, 'read_page', CATEGORY, given.url, act)

    return Tool(
        'read_page',
        'Read a page of the web.',
        PageArguments,
        run,
        routine=False,
        category=CATEGORY,
        origin='web',
    )
