#pragma once
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/// SoundTouch, for stereo at 48 kHz in the scale of the caller.
typedef struct pitch pitch;

/// `semitones`: -12 to 12. NULL if there is no memory.
pitch *pitch_create(float semitones);
void pitch_free(pitch *pitch);
/// Replaces `count` stereo samples by those of `pitch_delay` samples before, changed.
void pitch_process(pitch *pitch, float *samples, uint32_t count);
/// The delay in samples per channel.
uint32_t pitch_delay(const pitch *pitch);

#ifdef __cplusplus
}
#endif
