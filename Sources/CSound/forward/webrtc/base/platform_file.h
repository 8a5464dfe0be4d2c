#include <webrtc_audio_processing/webrtc/base/platform_file.h>
