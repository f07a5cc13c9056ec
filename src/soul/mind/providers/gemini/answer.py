"""Reads Gemini's generateContent, streamed and whole."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from soul.mind.providers.answer import BlockAnswer, NoCompletion, block, blocks, count
from soul.mind.providers.base import Fault, ProviderError, Usage
from soul.mind.providers.failures import reported

#: Where a part of an answer holds what proves its reasoning.
SIGNATURE = 'thoughtSignature'
#: Why it ends an answer otherwise than because it is whole.
_CUT = 'MAX_TOKENS'
_GARBLED = frozenset({'MALFORMED_FUNCTION_CALL', 'UNEXPECTED_TOOL_CALL', 'OTHER'})
_WHOLE = frozenset({'STOP', 'FINISH_REASON_UNSPECIFIED', _CUT})


class GeminiAnswer(BlockAnswer):
    """Collects the parts of one candidate."""

    def event(self, event: Mapping[str, Any]) -> None:
        """Take one event; raises ProviderError if the server reports an error in it."""
        if event.get('error'):
            raise reported(event)
        usage = event.get('usageMetadata')
        if isinstance(usage, Mapping):
            self.usage = usage_from(usage)
        blocked = block(event.get('promptFeedback')).get('blockReason')
        if blocked:
            self.ended, self.refused = True, str(blocked)
        for candidate in blocks(event.get('candidates'))[:1]:
            for part in blocks(block(candidate.get('content')).get('parts')):
                self._part(part)
            self._finished(candidate)

    def whole(self, document: Any) -> None:
        """Take an answer that came in one piece, or the pieces of a stream as one list.

        Raises
        ------
        NoCompletion
            If it is none.
        ProviderError
            If the server reports an error in it.
        """
        pieces = blocks(document) if isinstance(document, list) else [block(document)]
        known = ('candidates', 'promptFeedback', 'usageMetadata')
        if not any(name in piece for piece in pieces for name in known):
            raise NoCompletion
        for piece in pieces:
            self.event(piece)
        self.ended = True

    def _part(self, plain: Mapping[str, Any]) -> None:
        call = plain.get('functionCall')
        signature = plain.get(SIGNATURE)
        if isinstance(call, Mapping):
            self._sign(signature)
            part = self.begin(len(self.parts), 'call')
            part.id, part.name = str(call.get('id') or ''), str(call.get('name') or '')
            self.more(part, json.dumps(call.get('args') or {}, ensure_ascii=False))
            return
        text = plain.get('text')
        if not isinstance(text, str):
            return
        if not plain.get('thought'):
            self._sign(signature)
        kind = 'thought' if plain.get('thought') else 'text'
        newest = self.parts[-1] if self.parts else None
        if newest is not None and newest.kind == kind and not newest.sealed:
            self.more(newest, text)
        elif text:
            self.more(self.begin(len(self.parts), kind), text)

    def _sign(self, signature: Any) -> None:
        """Keep what proves the reasoning before the part that comes next."""
        if isinstance(signature, str) and signature:
            self.begin(len(self.parts), 'thought').sealed = {SIGNATURE: signature}

    def _finished(self, candidate: Mapping[str, Any]) -> None:
        reason = candidate.get('finishReason')
        if not reason:
            return
        self.ended = True
        self.cut = self.cut or reason == _CUT
        if reason in _GARBLED and not self.parts:
            said = str(candidate.get('finishMessage') or reason)[:300]
            raise ProviderError(
                'the answer of the model is garbled',
                detail=said,
                begun=True,
                fault=Fault.AGAIN,
            )
        if reason not in _WHOLE and reason not in _GARBLED:
            self.refused = str(reason)


def usage_from(plain: Mapping[str, Any]) -> Usage:
    """Read a usage block; what a server leaves out, or gets wrong, is zero."""
    read = count(plain.get('promptTokenCount')) + count(plain.get('toolUsePromptTokenCount'))
    cached = min(read, count(plain.get('cachedContentTokenCount')))
    out = count(plain.get('candidatesTokenCount')) + count(plain.get('thoughtsTokenCount'))
    return Usage(read, cached, out)
