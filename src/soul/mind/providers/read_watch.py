"""Notices a server that does not read the whole of what it is sent.

A server whose window is shorter than a request may cut its beginning without a word: Ollama does.
What stands there is who she is, so she would answer as somebody else. It shows in what the
server has counted.
"""

from __future__ import annotations

from soul.mind import tokens
from soul.mind.providers.base import Request, Usage

#: A server that counts less than this part of the estimate has not read everything.
PART = 0.5
#: ... if so much is missing, tokens: short requests are estimated badly.
LEAST = 1000


class ReadWatch:
    """Compares what was sent with what was counted; tells once, until all is read again."""

    def __init__(self) -> None:
        self._lengths = tokens.Lengths()
        self._told = False

    def counted(self, request: Request, usage: Usage) -> str:
        """Take what a server has counted of a request.

        Returns
        -------
        str
            What is wrong and what to do about it; empty: nothing, or it was told already.
        """
        if not usage.tokens_in:
            return ''
        sent = self._lengths.of_request(request)
        if usage.tokens_in >= sent * PART or sent - usage.tokens_in < LEAST:
            self._told = False
            return ''
        if self._told:
            return ''
        self._told = True
        return (
            f'the model server has read {usage.tokens_in} of about {sent} tokens: its window is '
            'shorter than that, and it leaves out the beginning, where it stands who she is. '
            'Give it a longer one (Ollama: OLLAMA_CONTEXT_LENGTH in its environment; llama.cpp: '
            '-c), or set `context_window` to the one it has'
        )
