/* Exits while a room is connected and its media flows, and while another one joins:
 *
 *   exits URL TOKEN
 */
#include "session.h"

static void feed(void) {}

int main(int argc, char **argv) {
  if (argc != 3) return 2;
  rc_video_options video = RC_VIDEO_OPTIONS_INIT;
  rc_track *tracks[2];
  rc_room *joining;
  check("queue", rc_queue_create(&queue));
  check("camera", rc_track_create_test_picture(&video, &tracks[0]));
  check("microphone", rc_track_create_tone(440, NULL, &tracks[1]));
  rc_room *room = join(argv[1], argv[2], NULL);
  CALL("published", rc_room_publish(room, tracks, 2, on_answer, &answer));
  check("leave", rc_room_leave(room, NULL, NULL));
  check("join", rc_room_connect(queue, argv[1], argv[2], NULL, NULL, NULL, NULL, &joining));
  return 0;
}
