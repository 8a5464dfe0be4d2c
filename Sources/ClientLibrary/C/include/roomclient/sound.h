/* sound.h of roomclient: sound before the encoder. Include roomclient.h. */
#ifndef ROOMCLIENT_SOUND_H
#define ROOMCLIENT_SOUND_H

#include "tracks.h"

RC_BEGIN

/* == Sound: mixing and effects before the encoder ================================================================== */
/* A sound studio mixes named channels to stereo at 48 kHz: each channel's gain, the mix, the effects, channels without effects,
 * the gain, a limiter. It has a clock of its own, and a queue of 20 ms for each channel. docs/client-media.md has the details. */

/* Creates a studio with no channels and no effects. */
rc_status rc_sound_create(rc_sound *RC_NULLABLE *RC_NULLABLE sound);
/* Sends the studio's sound to a track that encodes, until the studio is released; NULL for none. Do not push to the track
 * then. */
rc_status rc_track_set_sound(rc_track *RC_NULLABLE track, rc_sound *RC_NULLABLE sound);
/* Adds samples of a channel, in any format. The first ones create the channel. At most 16 channels. */
rc_status rc_sound_push(rc_sound *RC_NULLABLE sound, const char *RC_NULLABLE channel, const rc_pcm *RC_NULLABLE pcm);
/* gain:        in dB, -96 to 24.
 * has_effects: whether the effects apply to the channel. */
rc_status rc_sound_set_channel(rc_sound *RC_NULLABLE sound, const char *RC_NULLABLE channel, double gain, bool muted,
                               bool has_effects);
/* Removes a channel and what it has queued. */
rc_status rc_sound_remove_channel(rc_sound *RC_NULLABLE sound, const char *RC_NULLABLE channel);
/* Sets the gain of the output in dB, -96 to 24. */
rc_status rc_sound_set_gain(rc_sound *RC_NULLABLE sound, double gain);

typedef enum rc_effect_type {
  RC_EFFECT_GAIN = 0,
  RC_EFFECT_REVERB = 1,
  RC_EFFECT_ECHO = 2,
  RC_EFFECT_PITCH = 3
} rc_effect_type;

/* An effect. Fields that its type does not use are ignored; values out of range are limited.
 * gain:       of a gain, -96 to 24 dB; of a reverb, -20 to 20 dB.
 * mix:        of a reverb and an echo, 0...1.
 * room_size:  of a reverb, 0...1.
 * decay:      of a reverb, the seconds in which low frequencies decay by 60 dB, 0.05 to 20.
 * decay_high: the same of the highest frequencies.
 * delay:      of an echo, 1 to 2000 ms.
 * feedback:   of an echo, 0...0.95.
 * semitones:  of a pitch, -12 to 12. */
typedef struct rc_effect {
  rc_effect_type type;
  double gain;
  double mix;
  double room_size;
  double decay;
  double decay_high;
  double delay;
  double feedback;
  double semitones;
} rc_effect;
#define RC_REVERB_LOW {RC_EFFECT_REVERB, 0, 0.15, 0.25, 0.6, 0.3, 0, 0, 0}
#define RC_REVERB_MEDIUM {RC_EFFECT_REVERB, 0, 0.25, 0.5, 1.2, 0.6, 0, 0, 0}
#define RC_REVERB_HIGH {RC_EFFECT_REVERB, 0, 0.35, 0.9, 2.5, 1.0, 0, 0, 0}
#define RC_ECHO {RC_EFFECT_ECHO, 0, 0.4, 0, 0, 0, 250, 0.35, 0}

/* Replaces the effects, at most 8 in order; NULL and 0 for none. Changes do not click. */
rc_status rc_sound_set_effects(rc_sound *RC_NULLABLE sound, const rc_effect *RC_NULLABLE effects, size_t count);

typedef enum rc_noise {
  RC_NOISE_LEFT = -1, /* Not suppressed. */
  RC_NOISE_LOW = 0,
  RC_NOISE_MODERATE = 1,
  RC_NOISE_HIGH = 2,
  RC_NOISE_VERY_HIGH = 3
} rc_noise;
/* cancels_echo: removes what rc_sound_played passed from the channel.
 * noise:        how strongly steady noise is suppressed.
 * adjusts_gain: brings speech to a constant level.
 * delay_ms:     from rc_sound_played to the echo's arrival, 0 to 500; a rough value is sufficient.
 * channel:      the channel that is processed; NULL for "microphone". */
typedef struct rc_voice_options {
  size_t size;
  bool cancels_echo;
  rc_noise noise;
  bool adjusts_gain;
  int32_t delay_ms;
  const char *RC_NULLABLE channel;
} rc_voice_options;
#define RC_VOICE_OPTIONS_INIT {sizeof(rc_voice_options), true, RC_NOISE_MODERATE, false, 60, NULL}

/* Switches voice processing on; NULL switches it off. */
rc_status rc_sound_set_voice(rc_sound *RC_NULLABLE sound, const rc_voice_options *RC_NULLABLE options);
/* Passes to the echo cancellation what the loudspeaker is about to play: stereo at 48 kHz. */
rc_status rc_sound_played(rc_sound *RC_NULLABLE sound, const rc_pcm *RC_NULLABLE pcm);

/* A file begins, or `path` is NULL: the last one ended. */
typedef void (*rc_on_file)(void *RC_NULLABLE context, rc_sound *sound, const char *RC_NULLABLE path);
/* Plays the sound of a file as a channel, in place of what is pushed to it.
 * loop:    whether the file is repeated.
 * on_file: called on the queue when a file begins or the last one ended; NULL for none. The app names the next file with
 *          rc_sound_play_next. */
rc_status rc_sound_play(rc_sound *RC_NULLABLE sound, const char *RC_NULLABLE channel, const char *RC_NULLABLE path,
                        bool loop, rc_queue *RC_NULLABLE queue, rc_on_file RC_NULLABLE on_file,
                        void *RC_NULLABLE context);
/* Sets the file that follows without a gap, instead of a repetition; NULL for none. */
rc_status rc_sound_play_next(rc_sound *RC_NULLABLE sound, const char *RC_NULLABLE channel, const char *RC_NULLABLE path);
/* volume: of the file, 0...4; 1 leaves it unchanged. */
rc_status rc_sound_set_file(rc_sound *RC_NULLABLE sound, const char *RC_NULLABLE channel, double volume, bool paused);

typedef enum rc_ear { RC_EAR_OFF = 0, RC_EAR_DRY = 1, RC_EAR_PROCESSED = 2 } rc_ear;
/* Selects the ear return of the speaker: nothing, the mix before the effects, or what is encoded.
 * gain: in dB, -96 to 24. */
rc_status rc_sound_set_ear(rc_sound *RC_NULLABLE sound, rc_ear ear, double gain);
/* Delivers the mixed sound, or the ear return, as stereo at 48 kHz, 20 ms at a time, until the reader or the studio is
 * released. */
rc_status rc_sound_read(rc_sound *RC_NULLABLE sound, bool ear, rc_queue *RC_NULLABLE queue, rc_on_pcm RC_NULLABLE on_pcm,
                        void *RC_NULLABLE context, rc_reader *RC_NULLABLE *RC_NULLABLE reader);

/* rms, peak: relative to full scale, 0...1. */
typedef struct rc_loudness {
  double rms;
  double peak;
} rc_loudness;
/* Reads the loudness of the last 20 ms of a channel after its gain; of the output if `channel` is NULL. Silence for a channel
 * without sound so far. */
rc_status rc_sound_level(rc_sound *RC_NULLABLE sound, const char *RC_NULLABLE channel, rc_loudness *RC_NULLABLE loudness);

RC_END

#endif
