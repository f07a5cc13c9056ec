"""Gives the driver voice and ears, which live in a process of their own."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from soul.core.context import OrganContext
from soul.core.organ import Report
from soul.core.output import Work
from soul.stackchan.config import StackChanConfig
from soul.stackchan.sounding import Encode, SoundSpeech
from soul.stackchan.stackchan import StackChan
from soul.voice.client import OfUtterance, VoiceClient, command
from soul.voice.messages import (
    FromProcess,
)
from soul.voice.sound import EAR_RATE, MOUTH_RATE
from soul.wire.opus import Opus, OpusEncoder


def give_voice(birth: OrganContext[StackChanConfig], driver: StackChan) -> None:
    """Start the process, and let the driver speak and hear through it."""
    config = birth.config
    birth.on_close(connect_voice(config, driver, command(config), birth.inject).close)


def connect_voice(
    config: StackChanConfig,
    driver: StackChan,
    words: Sequence[str],
    inject: Callable[[Work], None],
) -> VoiceClient:
    """Let the driver speak and hear through a process.

    Parameters
    ----------
    words
        The command that runs it.
    inject
        Lets work be done on the driver's thread.
    """

    def made(message: FromProcess) -> None:
        inject(lambda now: driver.on_voice(message, now))

    client = VoiceClient(words, made)
    try:
        driver.components.give_voice(client, _sounding(config, driver, client, made))
    except OSError as error:  # there is no libopus
        trouble = Report('warning', f'no voice and no ears: {error}')
        inject(lambda now: (trouble,))
    return client


def _sounding(
    config: StackChanConfig, driver: StackChan, client: VoiceClient, made: OfUtterance
) -> SoundSpeech:
    """Make what speaks through the body.

    Raises
    ------
    OSError
        If sound cannot be encoded for it.
    """
    if config.transport == 'serial':
        return SoundSpeech(config, driver.port, client, EAR_RATE, lambda: bytes, made)
    library = Opus(config.libopus)

    def encoder() -> Encode:
        return OpusEncoder(library, MOUTH_RATE).encode

    return SoundSpeech(config, driver.port, client, MOUTH_RATE, encoder, made)
