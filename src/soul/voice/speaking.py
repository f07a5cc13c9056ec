"""The thread that makes sound of text, in the process of voice and ears."""

from __future__ import annotations

import queue
import threading
from collections.abc import Callable, Iterator, Sequence

from soul.voice.clean import spoken
from soul.voice.engines.port import EngineFailed, EngineMissing, MouthEngine
from soul.voice.messages import Complete, Message, Piece, Speak
from soul.voice.own_words import Reading
from soul.voice.scripts import by_language
from soul.voice.sentences import sentences
from soul.voice.sound import Clip

#: Words of this language are found in texts of every other.
SECOND = 'en'
#: How to get an engine: it may take seconds to load.
MakeMouth = Callable[[], MouthEngine]


class MouthThread:
    """Speaks one text after the other, sentence by sentence.

    Parameters
    ----------
    makers
        Engines in the order in which they are tried; where one fails the next one speaks.
    second
        How to get a voice for English words in between; None: the first one reads them, too.
    tell
        Is told what comes of it; called on the thread.
    ready
        Is told the name of the engine that speaks now, empty: none, and what went wrong.
    """

    def __init__(
        self,
        makers: Sequence[MakeMouth],
        second: MakeMouth | None,
        language: str,
        eager: bool,
        tell: Callable[[Message], None],
        ready: Callable[[str, Sequence[str]], None],
    ) -> None:
        self._makers = list(makers)
        self._make_second = second
        self._second: MouthEngine | None = None
        self._asked = False
        self._language = language
        self._eager = eager
        self._tell = tell
        self._ready = ready
        self._mouths: list[MouthEngine] = []
        self._waiting: queue.SimpleQueue[Speak | None] = queue.SimpleQueue()
        self._hushed: set[int] = set()
        self._told = False  # something of the text was spoken
        self._thread = threading.Thread(target=self._run, name='speaking', daemon=True)
        self._thread.start()

    def speak(self, wish: Speak) -> None:
        """Speak a text when those before are done."""
        self._waiting.put(wish)

    def hush(self, id: int) -> None:
        """Speak no more of it."""
        self._hushed.add(id)

    def reading(self) -> Reading | None:
        """Return what knows how texts of its language are read; None: nothing here does."""
        mouth = self._mouths[0] if self._mouths else None
        found = getattr(mouth, 'reading', None)
        return found if callable(found) else None

    def close(self) -> None:
        """End after the sentence that is being made."""
        self._waiting.put(None)
        self._thread.join()

    # --- the thread -----------------------------------------------------------------------

    def _run(self) -> None:
        self._load()
        while (wish := self._waiting.get()) is not None:
            self._speak(wish)
            self._hushed.discard(wish.id)

    def _load(self) -> None:
        """Get the first engine that can be had; the others only when it fails."""
        troubles: list[str] = []
        while self._makers and not self._mouths:
            try:
                self._mouths.append(self._makers.pop(0)())
            except EngineMissing as missing:
                troubles.append(str(missing))
        self._ready(self._mouths[0].name if self._mouths else '', troubles)

    def _speak(self, wish: Speak) -> None:
        text = spoken(wish.text, self._language)
        why = '' if text else 'there is nothing to say in it'
        self._told = False
        for sentence in sentences(text, self._eager):
            if wish.id in self._hushed:
                why = 'it was broken off'
                break
            why = self._sentence(wish.id, sentence)
            if why:
                break
        if not why and not self._told:
            why = 'no voice here reads that language'
        self._tell(Complete(wish.id, why))

    def _sentence(self, id: int, sentence: str) -> str:
        """Speak a sentence; returns why not, empty: it is spoken."""
        why = 'no engine can speak'
        while self._mouths or self._makers:
            if not self._mouths:
                self._load()
                continue
            told = False
            try:
                for sound in self._sounds(sentence):
                    if id in self._hushed:
                        return 'it was broken off'
                    text = '' if told else sentence
                    self._tell(Piece(id, text, sound.rate, sound.samples))
                    told = self._told = True
                return ''
            except EngineFailed as failed:
                why = str(failed)
                # what was heard of the sentence already is not said by another voice
                if told or not self._makers:
                    return why
                self._ready('', [why])
                self._mouths.clear()
        return why

    def _sounds(self, sentence: str) -> Iterator[Clip]:
        """Give the sound of a sentence, words of another language by a voice that knows it."""
        mouth = self._mouths[0]
        for language, part in by_language(sentence, mouth.language, (SECOND,)):
            other = self._other() if language != mouth.language else mouth
            for sound in (other or mouth).speak(part):
                if sound.samples:
                    yield sound

    def _other(self) -> MouthEngine | None:
        if not self._asked:
            self._asked = True
            try:
                self._second = self._make_second() if self._make_second is not None else None
            except EngineMissing:
                self._second = None
        return self._second
