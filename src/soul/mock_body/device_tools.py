"""What the tools of all simulated firmwares have in common: which there are, and their call."""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Mapping
from typing import Any, ClassVar

from soul.mock_body.device import Device
from soul.mock_body.faults import Faults
from soul.mock_body.performer import Performer
from soul.mock_body.telemetry import Telemetry
from soul.mock_body.tool_table import Properties, ToolError, page


class DeviceTools:
    """Lists the tools of a firmware that the device has the parts for, and carries them out.

    Attributes
    ----------
    table
        Tool -> the capability behind it, and its properties; without a capability it is always
        there.

    Parameters
    ----------
    begin_photo
        Takes a photo because of a question; the tool is answered later.
    """

    table: ClassVar[Mapping[str, tuple[str, Properties]]]

    def __init__(
        self,
        device: Device,
        faults: Faults,
        caps: Collection[str],
        performer: Performer,
        telemetry: Telemetry,
        begin_photo: Callable[[str], None],
    ) -> None:
        self._device = device
        self._faults = faults
        self._performer = performer
        self._telemetry = telemetry
        self._begin_photo = begin_photo
        self._known = {
            name: properties
            for name, (cap, properties) in self.table.items()
            if not cap or cap in caps
        }

    def page(self, cursor: str) -> dict[str, Any]:
        """Tell a page of the list, from the tool `cursor` on."""
        return page(self._known, cursor)

    def call(self, name: str, given: Mapping[str, Any], now: float) -> str | None:
        """Carry out a tool; returns its answer, None if that comes later.

        Raises
        ------
        ToolError
            If it fails.
        """
        if name not in self._known:
            raise ToolError(f'Unknown tool: {name}')
        answer = self._carry_out(name, given, now)
        return answer if answer is None or isinstance(answer, str) else json.dumps(answer)

    def _carry_out(self, name: str, given: Mapping[str, Any], now: float) -> Any:
        """Do what a known tool does; returns its answer, None if that comes later."""
        raise NotImplementedError
