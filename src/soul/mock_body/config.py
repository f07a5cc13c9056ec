"""Parameters of the simulated device."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from soul.core.organ import OrganConfig


class MockBodyConfig(OrganConfig):
    """What the simulated device is like."""

    flavour: Literal['soul_serial', 'stackchan_mcp', 'official'] = Field(
        default='soul_serial',
        description='Which firmware it has: soul_serial (behind a pty), stackchan_mcp (it dials '
        'the driver, and again by itself) or official (it asks where to dial, dials when it is '
        'woken, and hangs up for good)',
    )
    xiaozhi_url: str = Field(
        default='',
        description='Flavour stackchan_mcp: where to dial, for example ws://127.0.0.1:8765; '
        'empty: the driver of the same home',
    )
    ota_url: str = Field(
        default='',
        description='Flavour official: where to ask where to dial, for example '
        'http://127.0.0.1:8765/xiaozhi/ota/; empty: the driver of the same home',
    )
    xiaozhi_token_env: str = Field(
        default='SOUL_XIAOZHI_TOKEN',
        description='Flavour stackchan_mcp: name of the environment variable with the token that '
        'it sends; unset: none',
    )
    sound_version: int = Field(
        default=1,
        ge=1,
        le=3,
        description='Flavours that dial: version of the protocol, which says what stands before '
        'the sound of a message',
    )
    played_file: str = Field(
        default='',
        description='WAV file of the sound that it is sent and plays, written anew; empty: none '
        'is written',
    )
    spoken_file: str = Field(
        default='',
        description='Flavours that dial: WAV file (mono, 16 bit, 16 kHz) of what somebody says to '
        'it at each poke `talk`; empty: nobody says anything',
    )
    libopus: str = Field(
        default='',
        description='Flavours that dial: path of libopus, without which it is deaf and its '
        'played_file stays empty; empty: where the system has it',
    )
    echo_cancelling: bool = Field(
        default=False,
        description='Flavours that dial: it hears people while it speaks, and says so',
    )
    uid: str = Field(
        default='02:50:0C:00:00:01',
        max_length=32,
        description='Hardware id that the device reports, a MAC address',
    )
    uptime: float = Field(
        default=120.0,
        ge=0.0,
        le=1e6,
        description='How long the device seems to have been running at the start, s; '
        'shortly after a boot its touches are not trusted',
    )
    capabilities: tuple[str, ...] = Field(
        default=(
            'head', 'torque', 'face', 'led', 'tts', 'spk', 'cam', 'touch', 'imu', 'power',
            'env', 'temp', 'vol', 'bright',
        ),
        description='What the device claims to have; what is left out stays silent',
    )  # fmt: skip
    speech_rate: float = Field(
        default=14.0, ge=1.0, le=100_000.0, description='Characters spoken per second'
    )
    speech_pause: float = Field(
        default=0.3, ge=0.0, le=10.0, description='Silence that belongs to each utterance, s'
    )
    servo_dps: float = Field(
        default=240.0, ge=10.0, le=600.0, description='Fastest turn of the head, degrees/s'
    )
    servo_stiffness: float = Field(
        default=14.0, ge=2.0, le=40.0, description='Angular frequency of the servo spring, rad/s'
    )
    torque_release: float = Field(
        default=0.0,
        ge=0.0,
        le=3600.0,
        description='The servos let go after that long without motion, s; 0 never',
    )
    battery: float = Field(
        default=0.8, ge=0.0, le=1.0, description='Charge of the battery at the start, 0..1'
    )
    battery_mah: float = Field(
        default=550.0, ge=10.0, le=100_000.0, description='Capacity of the battery, mAh'
    )
    plugged: bool = Field(default=True, description='Whether the device begins on its charger')
    ambient: float = Field(
        default=24.0, ge=-40.0, le=60.0, description='Temperature around it, degrees Celsius'
    )
    day_lux: float = Field(default=320.0, ge=0.0, le=100_000.0, description='Light at noon, lux')
    night_lux: float = Field(default=2.0, ge=0.0, le=100_000.0, description='Light at night, lux')
    dawn: float = Field(
        default=6.0, ge=0.0, le=24.0, description='Hour of the day (UTC) at which light comes'
    )
    dusk: float = Field(
        default=20.0, ge=0.0, le=24.0, description='Hour of the day (UTC) at which it has gone'
    )
    noise: float = Field(
        default=1.0, ge=0.0, le=10.0, description='Noise of the sensors; 0 none, 1 as usual'
    )
    jpeg_quality: int = Field(
        default=70, ge=5, le=95, description='Quality of a picture unless the host says one'
    )
    log_bytes: int = Field(
        default=4_000_000,
        ge=1000,
        le=1_000_000_000,
        description='The wire log begins a new file at that size; one old file is kept, bytes',
    )
    scenario: str = Field(
        default='',
        description='JSON file with faults to switch by time since the start; empty: none',
    )
