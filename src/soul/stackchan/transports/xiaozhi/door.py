"""What a device meets on our port: where to dial, the WebSocket itself, and a place for photos."""

from __future__ import annotations

import time
from collections.abc import Awaitable, Callable

from starlette.applications import Starlette
from starlette.requests import HTTPConnection, Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route, WebSocketRoute
from starlette.websockets import WebSocket

from soul.stackchan.pairing import ota
from soul.stackchan.pairing.addresses import is_this_machine
from soul.stackchan.pairing.admission import Admission, Caller
from soul.stackchan.pairing.register import device_id
from soul.stackchan.transports.xiaozhi import photos
from soul.stackchan.transports.xiaozhi.socket import DeviceSocket
from soul.stackchan.web.requests import TooLarge, bearer, body_of, refusal, same
from soul.text.json_object import json_object

_NO_NAME = 'a header Device-Id is needed, with at most 64 letters, digits and : . _ -'


class DeviceDoor:
    """The application behind the port; all of it on the loop's thread.

    Parameters
    ----------
    meet
        Is given a device that has dialled and is let in, until it hangs up.
    asked
        Is told the device that has asked where to dial: it has just booted.
    photo_token
        What a photo must carry now; empty: none is wanted.
    take_photo
        Takes one; returns whether it was asked for.
    warn
        Is told who was sent away, in words for people.
    """

    def __init__(
        self,
        admission: Admission,
        meet: Callable[[DeviceSocket], Awaitable[None]],
        asked: Callable[[str], None],
        photo_token: Callable[[], str],
        take_photo: Callable[[bytes], bool],
        warn: Callable[[str], None],
    ) -> None:
        self._admission = admission
        self._meet = meet
        self._asked = asked
        self._photo_token = photo_token
        self._take_photo = take_photo
        self._warn = warn
        routes = [Route(path, self._ota, methods=['GET', 'POST']) for path in ota.PATHS]
        self.app = Starlette(
            routes=[
                *routes,
                Route(photos.PATH, self._photo, methods=['POST']),
                WebSocketRoute('/{path:path}', self._dial),
            ]
        )

    async def _ota(self, request: Request) -> Response:
        caller = _caller(request)
        if not caller.device:
            return refusal(400, _NO_NAME)
        try:
            body = await body_of(request, ota.MOST_BYTES)
        except TooLarge:
            return refusal(413, 'too large')
        question = json_object(body)
        try:
            token = self._admission.token_for(caller)
        except OSError as error:
            return refusal(503, f'it cannot be remembered: {error.strerror}')
        self._asked(caller.device)
        version = ota.version_in(question, request.headers.get('user-agent', ''))
        if token is None:
            self._warn(
                f'{caller.device} at {caller.host} asks where to dial and is not paired: '
                'soul body pair'
            )
            return refusal(403, 'this device is not paired: soul body pair')
        zone = time.localtime().tm_gmtoff // 60
        place = place_of(request)
        return JSONResponse(ota.answer(time.time(), zone, version, place, token))

    async def _dial(self, socket: WebSocket) -> None:
        caller = _caller(socket)
        if not caller.device:
            await socket.send_denial_response(refusal(400, _NO_NAME))
            return
        try:
            welcome = self._admission.may_dial(caller, bearer(socket.headers))
        except OSError as error:
            why = f'it cannot be remembered: {error.strerror}'
            await socket.send_denial_response(refusal(503, why))
            return
        if not welcome:
            self._warn(
                f'{caller.device} at {caller.host} dials without a token that is known here: '
                'soul body pair'
            )
            await socket.send_denial_response(refusal(401, 'a token is needed: soul body pair'))
            return
        await socket.accept()
        await self._meet(DeviceSocket(socket, caller.device, place_of(socket)))

    async def _photo(self, request: Request) -> Response:
        if not same(bearer(request.headers), self._photo_token()):
            return refusal(403, 'nobody has asked for a photo')
        try:
            body = await body_of(request, photos.MOST_BYTES)
        except TooLarge:
            return refusal(413, 'too large')
        photo = photos.photo_in(request.headers.get('content-type', ''), body)
        if photo is None:
            return refusal(400, 'a JPEG is needed, as the part "file" of a form')
        if not self._take_photo(photo):
            return refusal(403, 'nobody has asked for a photo')
        return JSONResponse({'success': True, 'response': 'the photo has arrived'})


def place_of(connection: HTTPConnection) -> str:
    """Return the host and port at which a connection has reached us."""
    server = connection.scope.get('server') or ('', 0)
    host = str(server[0])
    local = f'{f"[{host}]" if ":" in host else host}:{server[1]}'
    return ota.place_in(connection.headers.get('host', ''), local)


def _caller(connection: HTTPConnection) -> Caller:
    host = connection.client.host if connection.client is not None else ''
    return Caller(device_id(connection.headers.get('device-id', '')), host, is_this_machine(host))
