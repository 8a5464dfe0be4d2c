#include <webrtc_audio_processing/webrtc/modules/audio_processing/include/audio_processing.h>
