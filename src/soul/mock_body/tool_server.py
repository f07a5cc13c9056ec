"""The simulated device's end of MCP: it tells its tools and lets them be called."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Protocol

from soul.mock_body.device import Device
from soul.mock_body.faults import Faults
from soul.mock_body.picture import draw
from soul.mock_body.tool_table import ToolError


class ToolSet(Protocol):
    """The tools of one firmware."""

    def page(self, cursor: str) -> dict[str, Any]:
        """Tell a page of the list, from the tool `cursor` on."""

    def call(self, name: str, given: Mapping[str, Any], now: float) -> str | None:
        """Carry out a tool; returns its answer, None if that comes later.

        Raises
        ------
        ToolError
            If it fails.
        """


#: Posts a photo: address, token, question, JPEG, id of the call.
Post = Callable[[str, str, str, bytes, int], None]


class ToolServer:
    """Answers the host.

    Parameters
    ----------
    send
        Sends a payload.
    note
        Writes down which tool is called, and the id of the call.
    quality
        Of its photos, 1..100.

    Attributes
    ----------
    vision
        Where photos go, and the token for it.
    """

    def __init__(
        self,
        device: Device,
        faults: Faults,
        send: Callable[[Mapping[str, Any]], None],
        note: Callable[[str, int, float], None],
        post: Post,
        quality: int,
    ) -> None:
        self.vision = ('', '')
        self.tools: ToolSet | None = None
        self._device = device
        self._faults = faults
        self._send = send
        self._note = note
        self._post = post
        self._quality = quality
        self._asked = 0  # id of the question that is being answered

    def take(self, payload: Mapping[str, Any], now: float) -> None:
        """Take what the host wants."""
        id, method = payload.get('id'), payload.get('method')
        params = payload.get('params')
        params = params if isinstance(params, dict) else {}
        if not isinstance(id, int) or self.tools is None:
            return  # a notification
        if method == 'initialize':
            capabilities = params.get('capabilities')
            vision = capabilities.get('vision') if isinstance(capabilities, dict) else None
            if isinstance(vision, dict):
                self.vision = (str(vision.get('url', '')), str(vision.get('token', '')))
            server = {'name': 'soul-mock', 'version': '1.0'}
            self._reply(id, result={
                'protocolVersion': '2024-11-05', 'capabilities': {'tools': {}},
                'serverInfo': server,
            })  # fmt: skip
        elif method == 'tools/list':
            self._reply(id, result=self.tools.page(str(params.get('cursor', ''))))
        elif method == 'tools/call':
            self._use(id, str(params.get('name', '')), params.get('arguments'), now)
        else:
            self._reply(id, error={'message': f'Method not implemented: {method}'})

    def begin_photo(self, question: str) -> None:
        """Take a photo because of a question and post it; the tool is answered afterwards.

        Raises
        ------
        ToolError
            If nobody has said where to.
        """
        url, token = self.vision
        if not url:
            raise ToolError('no address for photos')
        self._post(url, token, question, draw(self._device, self._quality), self._asked)

    def answer(self, id: int, text: str, failed: bool) -> None:
        """Answer a call."""
        if self._faults.ignore_ack > 0:
            self._faults.ignore_ack -= 1
            return
        if self._faults.ignore_done and self._device.utterance is not None:
            return  # stuck in its speech
        self._reply(id, result={'content': [{'type': 'text', 'text': text}], 'isError': failed})

    def _use(self, id: int, name: str, arguments: Any, now: float) -> None:
        assert self.tools is not None
        if '.get_' not in name:  # a bystander sees nothing of those
            self._note(name, id, now)
        self._asked = id
        try:
            answer = self.tools.call(name, arguments if isinstance(arguments, dict) else {}, now)
        except ToolError as error:
            self.answer(id, str(error), True)
        else:
            if answer is not None:
                self.answer(id, answer, False)

    def _reply(self, id: int, **fields: Any) -> None:
        self._send({'jsonrpc': '2.0', 'id': id, **fields})
