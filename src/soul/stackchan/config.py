"""Parameters of the StackChan driver."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from soul.voice.config import VoiceConfig


class StackChanConfig(VoiceConfig):
    """How the driver finds and treats a StackChan."""

    transport: Literal['serial', 'http', 'xiaozhi'] = Field(
        default='serial',
        description='How the body is reached: serial (soul-serial over a serial port), http (an '
        'adapter of body protocol v1) or xiaozhi (the device dials our WebSocket server)',
    )
    port: str = Field(
        default='',
        description='Serial port, for example /dev/serial/by-id/...; empty: find a StackChan '
        'by its USB ids; mock: the simulated device of this home',
    )
    usb_serial: str = Field(
        default='',
        description='USB serial number (the MAC) of the one to take, also where the port is '
        'named; empty: whichever is there',
    )
    baud: int = Field(
        default=921_600,
        ge=9600,
        le=4_000_000,
        description='Bits per second on UART bridges; native USB ignores it',
    )
    dtr: bool = Field(
        default=False, description='Level of DTR; a pulse on DTR and RTS would reset the device'
    )
    rts: bool = Field(default=False, description='Level of RTS')
    frame_prefix: str = Field(
        default='', description='Put before the names of frames and joints, for two robots'
    )
    yaw_sign: Literal[-1, 1] = Field(
        default=1, description='1 if the device counts yaw to the left of the robot, else -1'
    )
    pitch_low: float = Field(
        default=5.0, ge=0.0, le=45.0, description='Lowest safe pitch, degrees above level'
    )
    pitch_high: float = Field(
        default=85.0, ge=45.0, le=90.0, description='Highest safe pitch, degrees above level'
    )
    yaw_limit: float = Field(
        default=128.0, ge=1.0, le=128.0, description='Farthest safe yaw to either side, degrees'
    )
    head_dps: float = Field(
        default=120.0, ge=1.0, le=240.0, description='Fastest turn of the head, degrees/s'
    )
    head_hz: float = Field(
        default=20.0, ge=1.0, le=20.0, description='Most head commands per second, Hz'
    )
    first_move: float = Field(
        default=4.0, ge=0.0, le=20.0, description='The first turn after a boot takes that long, s'
    )
    rest_pitch: float = Field(
        default=45.0, ge=5.0, le=85.0, description='Pitch of the safe pose, degrees above level'
    )
    joint_hz: float = Field(
        default=10.0, ge=0.0, le=50.0, description='Rate of joint states, Hz; 0 none'
    )
    imu_hz: float = Field(
        default=10.0, ge=0.0, le=100.0, description='Rate of motion readings, Hz; 0 none'
    )
    power_hz: float = Field(
        default=1.0, ge=0.0, le=10.0, description='Rate of battery readings, Hz; 0 none'
    )
    env_hz: float = Field(
        default=1.0,
        ge=0.0,
        le=10.0,
        description='Rate of light and temperature readings, Hz; 0 none',
    )
    imu_while_moving: bool = Field(
        default=False,
        description='Publish motion readings also while the head turns; the servos shake it',
    )
    touch_settle: float = Field(
        default=35.0,
        ge=0.0,
        le=600.0,
        description='Touches are not trusted for so long after a boot of the device, s',
    )
    touch_bounce: float = Field(
        default=0.15,
        ge=0.0,
        le=2.0,
        description='A release shorter than this belongs to the same touch, s',
    )
    failed_reads: int = Field(
        default=10,
        ge=1,
        le=1000,
        description='The servo bus counts as hung after that many failed readings in a row',
    )
    shed_vbus: float = Field(
        default=4.45,
        ge=4.0,
        le=5.0,
        description='The head rests while the supply is below this, V; at 4.40 it resets',
    )
    max_speech: int = Field(
        default=1000,
        ge=1,
        le=3000,
        description='Longest text said in one go, characters; longer ones are refused',
    )
    speech_rate: float = Field(
        default=5.0,
        ge=0.5,
        le=1000.0,
        description='Slowest expected speech, characters/s; slower counts as not played',
    )
    speech_margin: float = Field(
        default=8.0, ge=0.5, le=120.0, description='Added to the expected length of speech, s'
    )
    echo_tail: float = Field(
        default=1.5,
        ge=0.0,
        le=10.0,
        description='What is heard so shortly after own speech may be its echo, s',
    )
    thinking_seconds: float = Field(
        default=10.0,
        ge=0.0,
        le=120.0,
        description='When somebody has said something to the body it looks as if it were thinking '
        'until she speaks, for so long at most, s; 0: never',
    )
    capture_timeout: float = Field(
        default=10.0, ge=0.5, le=60.0, description='A picture must have come by then, s'
    )
    volume: float = Field(
        default=-1.0,
        ge=-1.0,
        le=1.0,
        description='How loud the body is, 0..1, set whenever it comes; below 0: left as it is',
    )
    brightness: float = Field(
        default=-1.0,
        ge=-1.0,
        le=1.0,
        description='How bright its screen is, 0..1, set whenever it comes; below 0: left as it '
        'is',
    )
    microphone: bool = Field(
        default=True,
        description='Let its microphone be heard, where it has to be told so; what is heard is on '
        'the topic audio and stored nowhere',
    )
    jpeg_quality: int = Field(default=80, ge=1, le=100, description='Quality of pictures')
    http_url: str = Field(
        default='',
        description='Transport http: where the adapter is, for example http://127.0.0.1:8100',
    )
    http_endpoints: tuple[str, ...] = Field(
        default=('status', 'look', 'speak', 'express'),
        description='Transport http: which endpoints the adapter serves; the others are not '
        'offered',
    )
    http_token_env: str = Field(
        default='SOUL_BODY_TOKEN',
        description='Transport http: name of the environment variable with the token that is '
        'sent; unset: none',
    )
    http_seconds: float = Field(
        default=60.0, ge=1.0, le=600.0, description='Transport http: longest time of an act, s'
    )
    http_status_seconds: float = Field(
        default=5.0,
        ge=0.1,
        le=300.0,
        description='Transport http: how often the adapter is asked whether its body is there, s',
    )
    xiaozhi_host: str = Field(
        default='127.0.0.1',
        description='Transport xiaozhi: address to listen at; only this machine reaches '
        '127.0.0.1, and soul body pair opens an address of the local network beside it',
    )
    xiaozhi_port: int = Field(
        default=8765,
        ge=0,
        le=65535,
        description='Transport xiaozhi: port at which a device asks where to dial, dials, and '
        'posts its photos; 0: any free one, written to run/xiaozhi_port',
    )
    xiaozhi_token_env: str = Field(
        default='SOUL_XIAOZHI_TOKEN',
        description='Transport xiaozhi: name of the environment variable with a token that lets '
        'any device in; unset: paired devices have their own, and on this machine none is needed',
    )
    xiaozhi_mdns: bool = Field(
        default=True,
        description='Transport xiaozhi: tell the local network by mDNS where to dial, where the '
        'port is open to it',
    )
    libopus: str = Field(
        default='',
        description='Transport xiaozhi: path of libopus, which decodes what the microphone '
        'hears; empty: where the system has it',
    )
    xiaozhi_rate: float = Field(
        default=14.0,
        ge=1.0,
        le=1000.0,
        description='Transport xiaozhi: words are shown for as long as they take at that many '
        'characters/s',
    )
    nudge_port: int = Field(
        default=-1,
        ge=-1,
        le=65535,
        description='Port on this machine that takes POST /nudge of body protocol v1; 0: any '
        'free one, written to run/nudge_port; -1: none',
    )
    nudge_token_env: str = Field(
        default='SOUL_NUDGE_TOKEN',
        description='Name of the environment variable with the token that a nudge must carry; '
        'unset: none is needed',
    )
    backoff_min: float = Field(
        default=0.25, ge=0.05, le=5.0, description='First wait before connecting anew, s'
    )
    backoff_max: float = Field(
        default=5.0, ge=0.1, le=300.0, description='Longest wait before connecting anew, s'
    )

    @property
    def act_seconds(self) -> float:
        """How long an act may take because of its transport, s."""
        return self.http_seconds + 1.0 if self.transport == 'http' else 0.0
