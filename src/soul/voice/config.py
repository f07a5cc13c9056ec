"""Parameters of voice and ears, a part of those of the driver that has them."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from soul.core.organ import OrganConfig


class VoiceConfig(OrganConfig):
    """How she speaks and hears where the body has no voice and no ears of its own."""

    voice: bool = Field(
        default=False,
        description='Speak aloud and listen; needs the extra voice (`soul up --voice`). Without, '
        'her words are shown on the screen of a body that speaks no text',
    )
    voice_language: str = Field(
        default='en',
        min_length=2,
        max_length=8,
        description='Language that she speaks and hears, for example en, zh or ja; soul up takes '
        'it from her persona',
    )
    voice_name: str = Field(
        default='',
        description='Name of the voice, for example zf_xiaobei for Chinese; empty: the first of '
        'her language; soul up takes it from her persona',
    )
    voice_engine: Literal['embedded', 'url', 'piper', 'action', 'none'] = Field(
        default='embedded',
        description='What speaks: embedded (in the extra voice), url (a server, see speech_url), '
        'piper (the program, see voice_piper), action (whoever serves the action voice/say) or '
        'none (her words are only shown)',
    )
    ears_engine: Literal['embedded', 'url', 'topic', 'none'] = Field(
        default='embedded',
        description='What understands: embedded (in the extra voice), url (a server, see '
        'transcription_url), topic (whoever publishes voice/heard) or none',
    )
    speech_url: str = Field(
        default='',
        description="Engine url: base of an API with OpenAI's /audio/speech, for example "
        'http://127.0.0.1:8000/v1; where it fails the embedded voice speaks',
    )
    speech_model: str = Field(default='tts-1', description='Engine url: model that speaks')
    speech_format: Literal['pcm', 'wav'] = Field(
        default='pcm', description='Engine url: form of the sound that is asked for'
    )
    speech_rate_hz: int = Field(
        default=24_000,
        ge=8000,
        le=48_000,
        description='Engine url: rate of pcm, which only the server knows, Hz',
    )
    transcription_url: str = Field(
        default='',
        description="Engine url: base of an API with OpenAI's /audio/transcriptions; where it "
        'fails the embedded ears listen',
    )
    transcription_model: str = Field(
        default='whisper-1', description='Engine url: model that understands'
    )
    voice_key_env: str = Field(
        default='SOUL_VOICE_KEY',
        description='Engine url: name of the environment variable with the key; unset: none',
    )
    voice_url_seconds: float = Field(
        default=20.0, ge=1.0, le=120.0, description='Engine url: longest silence of the server, s'
    )
    voice_piper: str = Field(
        default='piper', description='Engine piper: the program, with arguments'
    )
    voice_piper_model: str = Field(
        default='', description='Engine piper: the voice, a file .onnx with its .onnx.json'
    )
    voice_lead: int = Field(
        default=2,
        ge=1,
        le=10,
        description='So many frames of 60 ms are sent before they are played; some devices cut '
        'off at more',
    )
    voice_settle: float = Field(
        default=0.05,
        ge=0.0,
        le=1.0,
        description='The device gets so long to switch to speaking before the first sound, s',
    )
    voice_stop_after: float = Field(
        default=0.2,
        ge=0.0,
        le=2.0,
        description='The end is told so long after the last sound has been played, s: some '
        'devices drop what they have not played by then',
    )
    ears_end: float = Field(
        default=0.8,
        ge=0.2,
        le=3.0,
        description='Whoever is silent for so long has finished, s; below 0.7 people are cut off '
        'in mid-sentence',
    )
    ears_guess: float = Field(
        default=0.3,
        ge=0.1,
        le=3.0,
        description='After so much silence what was said is understood already, in case nothing '
        'more comes, s',
    )
    ears_longest: float = Field(
        default=30.0, ge=2.0, le=30.0, description='Speech without end is cut after so long, s'
    )
    ears_joins: float = Field(
        default=1.5,
        ge=0.0,
        le=10.0,
        description='Whoever begins to go on so shortly after their last message goes on with it, '
        'if she has not begun to think about it, s; 0: each is a message of its own',
    )
    ears_threshold: float = Field(
        default=0.5,
        ge=0.1,
        le=0.95,
        description='How sure it must be that somebody speaks, 0 to 1',
    )
    ears_tail: float = Field(
        default=0.3,
        ge=0.0,
        le=3.0,
        description='What the microphone captured up to so long after her own voice is not '
        'listened to, s; a body that cancels echoes is listened to all the time',
    )
    ears_sender: str = Field(
        default='voice',
        description='Who is named as the sender of what was heard: nobody recognises voices',
    )
    ears_folder: str = Field(
        default='',
        description='Folder in which each utterance that was heard is kept as a WAV file; empty: '
        'sound is never stored',
    )
    ears_threads: int = Field(
        default=2, ge=1, le=8, description='Threads of the embedded ears while they understand'
    )
    voice_nice: int = Field(
        default=5,
        ge=0,
        le=19,
        description='How far the process of voice and ears stands back behind the others',
    )
