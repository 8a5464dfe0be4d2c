#include <webrtc_audio_processing/webrtc/typedefs.h>
