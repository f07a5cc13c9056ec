"""Text that an engine made up: on noise it writes what it was taught most often, or loops.

None of this is what somebody said, so it must not reach her.
"""

from __future__ import annotations

import itertools
import unicodedata
import zlib

from soul.voice.engines.port import Understood
from soul.voice.scripts import is_han, is_kana

#: More than this is never said: words, and characters of Chinese or Japanese, in a second.
WORDS_A_SECOND = 8.0
WIDE_A_SECOND = 15.0
#: Text that can be packed so much better than speech repeats itself.
COMPRESSION = 2.4
#: An engine that doubts so much that anybody spoke, and is so unsure of its words, made them up.
DOUBT, CERTAINTY = 0.6, -1.0
_FEWEST = 60  # bytes; shorter text says nothing by how it packs
_LOOP = 6  # the same word in a row

#: What engines write on noise, without marks and blanks. They learnt it from captions of films.
_CAPTIONS = frozenset({
    'thankyouforwatching', 'thanksforwatching', 'thankyousomuchforwatching',
    'thankyouforwatchingthisvideo', 'pleasesubscribe', 'pleasesubscribetomychannel',
    'likeandsubscribe', 'seeyouinthenextvideo', 'subtitlesbytheamaraorgcommunity',
    'ご視聴ありがとうございました', 'ご清聴ありがとうございました',
    'チャンネル登録お願いします', 'チャンネル登録よろしくお願いします',
    '次回の動画でお会いしましょう',
    '谢谢观看', '謝謝觀看', '感谢观看', '感謝觀看', '谢谢大家观看', '请订阅我的频道',
    '请不吝点赞订阅转发打赏支持明镜与点点栏目', '字幕由amaraorg社区提供', '字幕by索兰娅',
    '以下是普通话的句子',
})  # fmt: skip
#: What they write where there is hardly any sound; a person says more, or says it clearly.
_FAINT = frozenset({'you', 'woo', 'oh', 'hmm', 'mm', 'uh', 'bye', '嗯', 'ん'})
_CLEAR = -0.7


def invented(understood: Understood, voiced: float) -> str:
    """Say why a text is not what somebody said; empty: it may be.

    Parameters
    ----------
    voiced
        How much speech there was, s.
    """
    text = understood.text
    plain = ''.join(c for c in unicodedata.normalize('NFKC', text).casefold() if c.isalnum())
    if not plain:
        return 'there are no words in it'
    seconds = max(voiced, 0.25)
    wide = sum(is_han(char) or is_kana(char) for char in plain)
    words = len(text.split()) if not wide else 0
    if wide > max(6.0, WIDE_A_SECOND * seconds) or words > max(4.0, WORDS_A_SECOND * seconds):
        return f'so much cannot be said in {voiced:.1f} s'
    raw = text.encode()
    if len(raw) >= _FEWEST and len(raw) / len(zlib.compress(raw)) > COMPRESSION:
        return 'it repeats itself'
    if _loops(text):
        return 'it repeats one word'
    if plain in _CAPTIONS:
        return 'it is what engines write on noise'
    unsure = understood.certainty < CERTAINTY
    if understood.doubt > DOUBT and unsure:  # NaN is never more or less
        return 'the engine doubts that anybody spoke'
    if plain in _FAINT and (understood.certainty < _CLEAR or understood.doubt > DOUBT):
        return 'it is what engines write where there is hardly any sound'
    return ''


def _loops(text: str) -> bool:
    words = text.casefold().split()
    same = 1
    for before, word in itertools.pairwise(words):
        same = same + 1 if word == before else 1
        if same >= _LOOP:
            return True
    return False
