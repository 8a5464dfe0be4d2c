#include <webrtc_audio_processing/webrtc/base/maybe.h>
