/* Joins and leaves a room COUNT times in one process, every tenth time with media. Prints the growth since the first fifth.
 *
 *   joins COUNT URL TOKEN
 */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "roomclient.h"

static rc_queue *queue;

static void check(const char *what, rc_status status) {
  if (status == RC_OK) return;
  printf("%s: %d %s: %s\n", what, status, rc_status_name(status), rc_last_error());
  exit(1);
}

static void on_done(void *context, rc_status status, const char *message, const char *json) {
  (void)json;
  if (status != RC_OK) {
    printf("failed: %d %s\n", status, message);
    exit(1);
  }
  *(int *)context = 1;
}

/* Dispatches the queue until the answer came. */
static void await_answer(int *answered) {
  for (int rounds = 0; !*answered; rounds++) {
    if (rc_queue_dispatch(queue, 1000) < 0) check("dispatch", RC_CLOSED);
    if (rounds > 100000) exit(3);
  }
  *answered = 0;
}

static void on_event(void *context, rc_room *room, const rc_event *event) { (void)context, (void)room, (void)event; }

static void join(const char *url, const char *token, int with_media) {
  rc_room *room = NULL;
  rc_track *tone = NULL;
  int answered = 0;
  check("connect", rc_room_connect(queue, url, token, NULL, on_event, on_done, &answered, &room));
  await_answer(&answered);
  if (with_media) {
    check("tone", rc_track_create_tone(440, NULL, &tone));
    check("publish", rc_room_publish(room, &tone, 1, on_done, &answered));
    await_answer(&answered);
  }
  check("leave", rc_room_leave(room, on_done, &answered));
  await_answer(&answered);
  check("release", rc_release(tone));
  check("release", rc_release(room));
}

static long resident_kib(void) {
  long pages = 0, resident = 0;
  FILE *file = fopen("/proc/self/statm", "r");
  if (!file || fscanf(file, "%ld %ld", &pages, &resident) != 2) exit(1);
  fclose(file);
  return resident * (sysconf(_SC_PAGESIZE) / 1024);
}

static int descriptors(void) {
  int count = 0;
  DIR *folder = opendir("/proc/self/fd");
  while (folder && readdir(folder)) count++;
  if (folder) closedir(folder);
  return count;
}

int main(int argc, char **argv) {
  if (argc != 4) return 2;
  int count = atoi(argv[1]), files = 0;
  long memory = 0;
  check("queue", rc_queue_create(&queue));
  for (int i = 0; i < count; i++) {
    if (i == count / 5) {
      memory = resident_kib();
      files = descriptors();
    }
    join(argv[2], argv[3], i % 10 == 0);
  }
  /* What the last rooms still hold ends within seconds. */
  for (int i = 0; i < 50 && (rc_handle_count() > 1 || descriptors() > files); i++) usleep(200000);
  printf("memory_kib=%ld descriptors=%d handles=%zu\n", resident_kib() - memory, descriptors() - files, rc_handle_count() - 1);
  check("release", rc_release(queue));
  return 0;
}
