#pragma once
#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/// Echo cancellation, noise suppression and automatic gain of webrtc-audio-processing, for mono at 48 kHz in blocks of 10 ms.
typedef struct voice_processing voice_processing;

/// `noise_level`: -1 for none, else 0 (low) to 3 (very high). NULL if the library refuses.
voice_processing *voice_processing_create(bool cancels_echo, int noise_level, bool adjusts_gain);
void voice_processing_free(voice_processing *processing);
/// Analyses 480 samples, -1 to 1, that the loudspeaker is about to play; 0 on success.
int voice_processing_play(voice_processing *processing, const float *samples);
/// Processes 480 samples, -1 to 1, of the microphone in place. `delay` in ms from play to capture; 0 on success.
int voice_processing_capture(voice_processing *processing, float *samples, int delay);

#ifdef __cplusplus
}
#endif
