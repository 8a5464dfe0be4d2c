"""The functions of roomclient.h and its headers, by ctypes. A test compares their names with the header."""

from __future__ import annotations

import ctypes
import os
from ctypes import (
    CFUNCTYPE, POINTER, Structure, c_bool, c_char_p, c_double, c_int, c_int32, c_int64, c_size_t,
    c_uint32, c_uint64, c_void_p,
)
from pathlib import Path

Handle = c_void_p
OnNetwork = CFUNCTYPE(c_bool, c_void_p, c_char_p, c_char_p)
OnResolve = CFUNCTYPE(None, c_void_p, c_char_p, c_void_p)


class RoomOptions(Structure):
    _fields_ = [
        ("size", c_size_t), ("manual_subscribe", c_bool), ("receives_nothing", c_bool), ("audio_levels", c_bool),
        ("trust_any_server", c_bool), ("timeout_ms", c_int32), ("statistics_ms", c_int32), ("reconnect_tries", c_int32),
        ("event_backlog", c_int32), ("media_protocol", c_int), ("certificates", c_char_p), ("prefers_small", c_bool),
        ("ignores_network", c_bool), ("on_network", OnNetwork), ("network_context", c_void_p),
    ]


class VideoOptions(Structure):
    _fields_ = [
        ("size", c_size_t), ("codec", c_int), ("width", c_int32), ("height", c_int32), ("fps", c_int32),
        ("bitrate", c_int32), ("tag", c_char_p), ("is_secondary", c_bool), ("profile", c_int),
    ]


class AudioOptions(Structure):
    _fields_ = [
        ("size", c_size_t), ("channels", c_int32), ("bitrate", c_int32), ("tag", c_char_p), ("is_secondary", c_bool),
    ]


class TextOptions(Structure):
    _fields_ = [
        ("size", c_size_t), ("font_size", c_int32), ("colour", c_uint32), ("outline", c_uint32), ("outline_width", c_int32),
        ("max_width", c_int32), ("font", c_char_p),
    ]


class VoiceOptions(Structure):
    _fields_ = [
        ("size", c_size_t), ("cancels_echo", c_bool), ("noise", c_int), ("adjusts_gain", c_bool), ("delay_ms", c_int32),
        ("channel", c_char_p),
    ]


class StreamingSetup(Structure):
    _fields_ = [
        ("size", c_size_t), ("video", POINTER(VideoOptions)), ("has_audio", c_bool), ("audio_rate", c_int32),
        ("audio_channels", c_int32), ("audio_bitrate", c_int32), ("follows_network", c_bool), ("trust_any_server", c_bool),
        ("certificates", c_char_p), ("on_network", OnNetwork), ("on_resolve", OnResolve), ("hook_context", c_void_p),
    ]


class StreamingOptions(Structure):
    _fields_ = [
        ("size", c_size_t), ("reconnect_tries", c_int32), ("min_bitrate", c_int32), ("dynamic_fps", c_bool),
        ("status_ms", c_int32),
    ]


class PlayerOptions(Structure):
    _fields_ = [
        ("size", c_size_t), ("buffer_ms", c_int32), ("latency_limit_ms", c_int32), ("reconnect_tries", c_int32),
        ("trust_any_server", c_bool), ("certificates", c_char_p),
    ]


class CEffect(Structure):
    _fields_ = [
        ("type", c_int), ("gain", c_double), ("mix", c_double), ("room_size", c_double), ("decay", c_double),
        ("decay_high", c_double), ("delay", c_double), ("feedback", c_double), ("semitones", c_double),
    ]


class CLoudness(Structure):
    _fields_ = [("rms", c_double), ("peak", c_double)]


class CPlacement(Structure):
    _fields_ = [
        ("track", c_void_p), ("x", c_int32), ("y", c_int32), ("width", c_int32), ("height", c_int32), ("z", c_int32),
    ]


class CMix(Structure):
    _fields_ = [
        ("size", c_size_t), ("width", c_int32), ("height", c_int32), ("camera", POINTER(CPlacement)),
        ("pictures", POINTER(CPlacement)), ("picture_count", c_size_t), ("sounds", POINTER(c_void_p)),
        ("sound_count", c_size_t),
    ]


class CStreamingStatus(Structure):
    _fields_ = [
        ("video_fps", c_double), ("audio_fps", c_double), ("video_kbps", c_int32), ("audio_kbps", c_int32),
        ("queued_ms", c_int32), ("target_bitrate", c_int32), ("target_fps", c_int32), ("connections", c_int32),
        ("dropped_frames", c_uint64),
    ]


class CStreamingEvent(Structure):
    _fields_ = [
        ("state", c_int), ("failure", c_int32), ("message", c_char_p), ("status", POINTER(CStreamingStatus)),
    ]


class CLevel(Structure):
    _fields_ = [("user_id", c_char_p), ("track_id", c_char_p), ("level", c_int32)]


class CEvent(Structure):
    _fields_ = [
        ("type", c_int), ("name", c_char_p), ("json", c_char_p), ("track", c_void_p), ("levels", POINTER(CLevel)),
        ("level_count", c_size_t),
    ]


class CI420(Structure):
    _fields_ = [
        ("width", c_int32), ("height", c_int32), ("y", c_void_p), ("u", c_void_p), ("v", c_void_p),
        ("stride_y", c_int32), ("stride_uv", c_int32), ("time_us", c_int64),
    ]


class CRGB(Structure):
    _fields_ = [
        ("width", c_int32), ("height", c_int32), ("format", c_int), ("pixels", c_void_p), ("stride", c_int32),
        ("time_us", c_int64),
    ]


class CPCM(Structure):
    _fields_ = [
        ("samples", c_void_p), ("frame_count", c_size_t), ("sample_rate", c_int32), ("channels", c_int32),
        ("time_us", c_int64),
    ]


class CEncoded(Structure):
    _fields_ = [("data", c_void_p), ("size", c_size_t), ("timestamp", c_uint32), ("is_key_frame", c_bool)]


# The memory of a picture, which may be changed; the same fields as CI420.
OnFrame = CFUNCTYPE(None, c_void_p, POINTER(CI420))
OnComposition = CFUNCTYPE(None, c_void_p, c_char_p, c_void_p)
OnFile = CFUNCTYPE(None, c_void_p, c_void_p, c_char_p)
OnStreaming = CFUNCTYPE(None, c_void_p, c_void_p, POINTER(CStreamingEvent))
OnPlayer = CFUNCTYPE(None, c_void_p, c_void_p, c_int, c_int32, c_char_p)
OnDone = CFUNCTYPE(None, c_void_p, c_int32, c_char_p, c_char_p)
OnEvent = CFUNCTYPE(None, c_void_p, c_void_p, POINTER(CEvent))
OnSignal = CFUNCTYPE(None, c_void_p, c_void_p, c_int, c_int64)
OnPicture = CFUNCTYPE(None, c_void_p, c_void_p, POINTER(CI420))
OnPCM = CFUNCTYPE(None, c_void_p, c_void_p, POINTER(CPCM))
OnEncoded = CFUNCTYPE(None, c_void_p, c_void_p, POINTER(CEncoded))

_NEW = POINTER(c_void_p)
_TEXT = POINTER(c_void_p)  # A char ** whose text is freed with rc_string_free.
_CALL = (OnDone, c_void_p)
_TEXTS = (POINTER(c_char_p), c_size_t)
_TRACKS = (POINTER(c_void_p), c_size_t)
_STR = c_char_p

# All return an rc_status, except those of _RESULTS.
FUNCTIONS: dict[str, tuple[type, ...]] = {
    "rc_version": (), "rc_status_name": (c_int32,), "rc_last_error": (), "rc_retain": (Handle,), "rc_release": (Handle,),
    "rc_handle_count": (), "rc_string_free": (c_void_p,), "rc_bytes_free": (c_void_p,),
    "rc_queue_create": (_NEW,), "rc_queue_fd": (Handle,), "rc_queue_dispatch": (Handle, c_int32),
    "rc_queue_start_thread": (Handle,), "rc_queue_close": (Handle,),
    "rc_room_connect": (Handle, _STR, _STR, POINTER(RoomOptions), OnEvent, OnDone, c_void_p, _NEW),
    "rc_room_leave": (Handle, *_CALL), "rc_room_events_dropped": (Handle,), "rc_room_state": (Handle, _TEXT),
    "rc_room_snapshot": (Handle, _TEXT), "rc_room_participants": (Handle, _TEXT),
    "rc_room_subscribe": (Handle, *_TEXTS, *_TEXTS, *_CALL), "rc_room_unsubscribe": (Handle, *_TEXTS, *_TEXTS, *_CALL),
    "rc_room_set_receiving": (Handle, c_bool, *_CALL), "rc_room_set_audio_levels": (Handle, c_bool, *_CALL),
    "rc_room_kick": (Handle, _STR, *_CALL), "rc_room_play_urls": (Handle, *_CALL),
    "rc_room_play_urls_of": (Handle, c_int32, c_int32, c_int32, *_CALL), "rc_room_limits": (Handle, _TEXT),
    "rc_room_network_changed": (Handle, *_CALL), "rc_room_statistics": (Handle, *_CALL),
    "rc_room_set_statistics": (Handle, c_int32, *_CALL), "rc_room_report": (Handle, _STR, *_CALL),
    "rc_check_network": (Handle, _STR, POINTER(RoomOptions), *_CALL),
    "rc_track_create_video": (POINTER(VideoOptions), _NEW), "rc_track_create_audio": (POINTER(AudioOptions), _NEW),
    "rc_track_create_simulcast": (POINTER(VideoOptions), c_int32, c_int32, _NEW),
    "rc_track_reconfigure": (Handle, POINTER(VideoOptions)), "rc_track_set_studio": (Handle, Handle),
    "rc_track_set_sound": (Handle, Handle),
    "rc_track_create_test_picture": (POINTER(VideoOptions), _NEW),
    "rc_track_create_tone": (c_double, POINTER(AudioOptions), _NEW),
    "rc_track_create_encoded_video": (POINTER(VideoOptions), _NEW),
    "rc_track_create_encoded_audio": (POINTER(AudioOptions), _NEW),
    "rc_track_push_i420": (Handle, POINTER(CI420)), "rc_track_push_nv12": (Handle, c_void_p),
    "rc_track_push_rgb": (Handle, POINTER(CRGB)), "rc_track_push_pcm": (Handle, POINTER(CPCM)),
    "rc_track_send": (Handle, POINTER(CEncoded), c_int32), "rc_track_listen": (Handle, Handle, OnSignal, c_void_p),
    "rc_track_id": (Handle, _TEXT),
    "rc_room_publish": (Handle, *_TRACKS, *_CALL), "rc_room_unpublish": (Handle, *_TRACKS, *_CALL),
    "rc_room_unpublish_kind": (Handle, c_int, *_CALL), "rc_room_mute_kind": (Handle, c_int, c_bool, *_CALL),
    "rc_room_mute": (Handle, Handle, c_bool, *_CALL), "rc_room_mute_id": (Handle, _STR, c_bool, *_CALL),
    "rc_remote_info": (Handle, _TEXT), "rc_remote_request_key_frame": (Handle,),
    "rc_remote_set_reception": (Handle, Handle, c_int32, c_int32, c_int32, c_int32, c_bool, *_CALL),
    "rc_remote_read_encoded": (Handle, Handle, OnEncoded, c_void_p, _NEW),
    "rc_remote_read_video": (Handle, Handle, OnPicture, c_void_p, _NEW),
    "rc_remote_read_audio": (Handle, c_int32, Handle, OnPCM, c_void_p, _NEW), "rc_reader_dropped": (Handle,),
    "rc_seats_take": (Handle, c_int32, *_TRACKS, *_CALL), "rc_seats_leave": (Handle, *_CALL),
    "rc_seats_kick": (Handle, _STR, *_CALL), "rc_seats_set": (Handle, c_int32, c_int32, c_int32, c_int32, c_int32, *_CALL),
    "rc_seats_set_layout": (Handle, _STR, *_CALL), "rc_seats_request": (Handle, c_int32, *_CALL),
    "rc_seats_cancel_request": (Handle, *_CALL), "rc_seats_accept": (Handle, _STR, *_CALL),
    "rc_seats_list_requests": (Handle, *_CALL),
    "rc_seats_reject": (Handle, _STR, *_CALL), "rc_seats_invite": (Handle, _STR, c_int32, *_CALL),
    "rc_seats_cancel_invitation": (Handle, _STR, *_CALL), "rc_seats_accept_invitation": (Handle, *_TRACKS, *_CALL),
    "rc_seats_reject_invitation": (Handle, *_CALL),
    "rc_pk_invite": (Handle, _STR, _STR, c_int, c_int32, *_CALL), "rc_pk_cancel": (Handle, _STR, *_CALL),
    "rc_pk_invite_rooms": (Handle, _STR, *_CALL), "rc_pk_remove": (Handle, _STR, *_CALL),
    "rc_pk_mute": (Handle, _STR, c_bool, c_bool, *_CALL),
    "rc_pk_accept": (Handle, _STR, *_CALL), "rc_pk_reject": (Handle, _STR, _STR, *_CALL),
    "rc_pk_match": (Handle, _STR, *_CALL), "rc_pk_cancel_match": (Handle, *_CALL),
    "rc_pk_mute_peer": (Handle, c_bool, *_CALL), "rc_pk_set_score": (Handle, c_int64, *_CALL),
    "rc_pk_add_gift": (Handle, _STR, *_CALL), "rc_pk_rematch": (Handle, *_CALL),
    "rc_pk_extend": (Handle, c_int32, *_CALL), "rc_pk_resume": (Handle, *_CALL), "rc_pk_quit": (Handle, *_CALL),
    "rc_pk_move": (Handle, OnEvent, OnDone, c_void_p, _NEW),
    "rc_pk_return_home": (Handle, _STR, OnEvent, OnDone, c_void_p, _NEW),
    "rc_messages_send": (Handle, _STR, _STR, *_CALL), "rc_messages_barrage": (Handle, _STR, _STR, *_CALL),
    "rc_messages_like": (Handle, c_int32, _STR, *_CALL),
    "rc_messages_gift": (Handle, _STR, c_int32, _STR, _STR, *_CALL),
    "rc_messages_custom": (Handle, _STR, _STR, _STR, *_CALL),
    "rc_attributes_change": (Handle, _STR, *_CALL), "rc_jobs_start_forward": (Handle, _STR, *_CALL),
    "rc_jobs_start_merge": (Handle, _STR, *_CALL), "rc_jobs_set_layouts": (Handle, _STR, _STR, *_CALL),
    "rc_jobs_stop": (Handle, _STR, *_CALL), "rc_stage_set": (Handle, _STR, *_CALL),
    "rc_stage_edit": (Handle, c_int32, OnComposition, c_void_p, *_CALL), "rc_stage_stop_editing": (Handle, *_CALL),
    "rc_composition_set": (c_void_p, _STR),
    "rc_studio_create": (_NEW,), "rc_studio_set_size": (Handle, c_int32, c_int32, c_int),
    "rc_studio_set_full_range": (Handle, c_bool), "rc_studio_set_mirror": (Handle, c_bool, c_bool),
    "rc_studio_set_beauty": (Handle, c_double, c_double, c_double),
    "rc_studio_set_filter": (Handle, c_char_p, c_size_t, c_double), "rc_studio_set_filter_strength": (Handle, c_double),
    "rc_overlay_create_picture": (c_char_p, c_size_t, c_int32, c_int32, c_int32, c_int32, c_double, _NEW),
    "rc_overlay_create_text": (_STR, c_int32, c_int32, POINTER(TextOptions), _NEW),
    "rc_overlay_move": (Handle, c_int32, c_int32), "rc_studio_set_stickers": (Handle, *_TRACKS),
    "rc_studio_set_texts": (Handle, *_TRACKS), "rc_studio_set_watermark": (Handle, Handle),
    "rc_studio_set_on_frame": (Handle, OnFrame, c_void_p),
    "rc_studio_read_preview": (Handle, Handle, OnPicture, c_void_p, _NEW),
    "rc_studio_snapshot": (Handle, c_bool, c_int, POINTER(c_void_p), POINTER(c_size_t)),
    "rc_sound_create": (_NEW,), "rc_sound_push": (Handle, _STR, POINTER(CPCM)),
    "rc_sound_set_channel": (Handle, _STR, c_double, c_bool, c_bool), "rc_sound_remove_channel": (Handle, _STR),
    "rc_sound_set_gain": (Handle, c_double), "rc_sound_set_effects": (Handle, POINTER(CEffect), c_size_t),
    "rc_sound_set_voice": (Handle, POINTER(VoiceOptions)), "rc_sound_played": (Handle, POINTER(CPCM)),
    "rc_sound_play": (Handle, _STR, _STR, c_bool, Handle, OnFile, c_void_p), "rc_sound_play_next": (Handle, _STR, _STR),
    "rc_sound_set_file": (Handle, _STR, c_double, c_bool), "rc_sound_set_ear": (Handle, c_int, c_double),
    "rc_sound_read": (Handle, c_bool, Handle, OnPCM, c_void_p, _NEW),
    "rc_sound_level": (Handle, _STR, POINTER(CLoudness)),
    "rc_streaming_create": (
        Handle, POINTER(StreamingSetup), POINTER(StreamingOptions), OnStreaming, c_void_p, _NEW),
    "rc_addresses_add": (c_void_p, _STR),
    "rc_streaming_start": (Handle, _STR, _STR, *_CALL), "rc_streaming_stop": (Handle, *_CALL),
    "rc_streaming_restart": (Handle, _STR, *_CALL),
    "rc_streaming_set_options": (Handle, POINTER(StreamingOptions), *_CALL),
    "rc_streaming_reconfigure": (Handle, POINTER(VideoOptions), *_CALL), "rc_streaming_get_state": (Handle,),
    "rc_streaming_push_i420": (Handle, POINTER(CI420)), "rc_streaming_push_nv12": (Handle, c_void_p),
    "rc_streaming_push_rgb": (Handle, POINTER(CRGB)), "rc_streaming_push_pcm": (Handle, POINTER(CPCM)),
    "rc_streaming_set_studio": (Handle, Handle), "rc_streaming_set_sound": (Handle, Handle),
    "rc_streaming_share": (Handle, Handle, Handle), "rc_streaming_set_mix": (Handle, POINTER(CMix)),
    "rc_player_create": (Handle, _STR, POINTER(PlayerOptions), OnPlayer, c_void_p, _NEW),
    "rc_player_read_video": (Handle, OnPicture, c_void_p, _NEW),
    "rc_player_read_audio": (Handle, OnPCM, c_void_p, _NEW), "rc_player_statistics": (Handle, _TEXT),
    "rc_player_stop": (Handle,),
}
_RESULTS: dict[str, type | None] = {
    "rc_version": c_uint32, "rc_status_name": c_char_p, "rc_last_error": c_char_p, "rc_handle_count": c_size_t,
    "rc_string_free": None, "rc_bytes_free": None, "rc_streaming_get_state": c_int, "rc_queue_fd": c_int, "rc_room_events_dropped": c_uint64, "rc_reader_dropped": c_uint64,
}
# The major and minor version that this package is written for; a library of another major version is refused.
_VERSION = (0, 2)


def _load() -> ctypes.CDLL:
    """Loads the library: of ROOMCLIENT_LIBRARY, of the wheel, or of the system."""
    inside = Path(__file__).parent / "lib" / "libroomclient.so.0"
    path = os.environ.get("ROOMCLIENT_LIBRARY") or (str(inside) if inside.exists() else "libroomclient.so.0")
    loaded = ctypes.CDLL(path)
    for name, arguments in FUNCTIONS.items():
        function = getattr(loaded, name)
        function.argtypes = arguments
        function.restype = _RESULTS.get(name, c_int32)
    version: int = loaded.rc_version()
    if version // 10000 != _VERSION[0] or version // 100 % 100 < _VERSION[1]:
        raise ImportError(f"{path} has version {version}, but roomclient needs {_VERSION[0]}.{_VERSION[1]} or newer")
    return loaded


library = _load()


def take_text(function: str, handle: Handle) -> str | None:
    """Calls a function that returns a text of the app's, and frees the text."""
    from ._errors import check

    text = c_void_p()
    check(getattr(library, function)(handle, ctypes.byref(text)))
    if text.value is None:
        return None
    try:
        return ctypes.string_at(text.value).decode()
    finally:
        library.rc_string_free(text)


def release(handle: Handle) -> None:
    """Releases a handle once."""
    if handle.value is not None:
        library.rc_release(handle)
        handle.value = None
