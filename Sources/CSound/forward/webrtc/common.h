#include <webrtc_audio_processing/webrtc/common.h>
