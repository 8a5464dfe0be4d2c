/* A sound studio on a published microphone, as a second participant hears it:
 *
 *   sounds URL TOKEN TOKEN-OF-A-LISTENER FILE
 *
 * The voice is a tone of 500 Hz. FILE is written with a tone of 2000 Hz and played as music.
 */
#include <math.h>

#include "session.h"

enum { RATE = 48000, CHUNK = RATE / 50, WINDOW = RATE / 2, VOICE = 500, MUSIC = 2000 };
static const double PI = 3.14159265358979;

static rc_sound *sound;
static rc_reader *listening;
static int64_t chunks;
static int16_t heard[WINDOW], ear[WINDOW];
static int began, ended, ears;

static void feed(void) {
  if (!sound) return;
  /* 16 kHz, which the studio converts. */
  int16_t samples[320];
  for (int i = 0; i < 320; i++) samples[i] = (int16_t)(6000 * sin(2 * PI * VOICE * (double)(chunks * 320 + i) / 16000));
  rc_pcm pcm = {samples, 320, 16000, 1, chunks++ * 20000};
  check("push", rc_sound_push(sound, "voice", &pcm));
}

static void keep(int16_t *window, const rc_pcm *pcm) {
  size_t count = pcm->frame_count < WINDOW ? pcm->frame_count : WINDOW;
  memmove(window, window + count, (WINDOW - count) * sizeof *window);
  for (size_t i = 0; i < count; i++) window[WINDOW - count + i] = pcm->samples[i * (size_t)pcm->channels];
}

static void on_heard(void *context, rc_reader *reader, const rc_pcm *pcm) {
  (void)context, (void)reader;
  if (pcm) keep(heard, pcm);
}

static void on_ear(void *context, rc_reader *reader, const rc_pcm *pcm) {
  (void)context, (void)reader;
  if (pcm) keep(ear, pcm);
  else ended++;
  ears++;
}

static void on_file(void *context, rc_sound *studio, const char *path) {
  (void)context, (void)studio;
  began += path != NULL;
  ended += path == NULL;
}

static void on_event(void *context, rc_room *room, const rc_event *event) {
  (void)context, (void)room;
  if (event->type == RC_EVENT_TRACK_SUBSCRIBED && !listening)
    check("read", rc_remote_read_audio(event->track, 1, queue, on_heard, NULL, &listening));
}

/* The amplitude of a tone in the last half second. */
static double tone(const int16_t *window, double frequency) {
  double re = 0, im = 0;
  for (int i = 0; i < WINDOW; i++) {
    re += window[i] * cos(2 * PI * frequency * i / RATE);
    im += window[i] * sin(2 * PI * frequency * i / RATE);
  }
  return 2 * hypot(re, im) / WINDOW;
}

static int hears(double frequency) { return tone(heard, frequency) > 2000; }
static int misses(double frequency) { return tone(heard, frequency) < 400; }

/* Writes a WAV file of one second, mono. */
static void write_music(const char *path) {
  FILE *file = fopen(path, "wb");
  if (!file) exit(2);
  const uint32_t header[11] = {0x46464952, 36 + RATE * 2, 0x45564157, 0x20746d66, 16, 0x00010001,
                               RATE,       RATE * 2,      0x00100002, 0x61746164, RATE * 2};
  fwrite(header, sizeof header, 1, file);
  for (int i = 0; i < RATE; i++) {
    int16_t sample = (int16_t)(6000 * sin(2 * PI * MUSIC * i / RATE));
    fwrite(&sample, 2, 1, file);
  }
  fclose(file);
}

int main(int argc, char **argv) {
  if (argc != 5) return 2;
  write_music(argv[4]);
  rc_track *microphone;
  check("queue", rc_queue_create(&queue));
  check("microphone", rc_track_create_audio(NULL, &microphone));
  check("sound", rc_sound_create(&sound));
  check("set sound", rc_track_set_sound(microphone, sound));
  rc_room *listener = join(argv[1], argv[3], on_event), *anchor = join(argv[1], argv[2], NULL);
  CALL("published", rc_room_publish(anchor, &microphone, 1, on_answer, &answer));
  AWAIT("the voice", hears(VOICE) && misses(MUSIC));

  rc_loudness output = {0}, none = {1, 1};
  check("level", rc_sound_level(sound, NULL, &output));
  check("level", rc_sound_level(sound, "music", &none));
  if (output.peak < 0.1 || output.peak > 0.3 || none.peak != 0) return printf("levels %f %f\n", output.peak, none.peak), 1;

  if (rc_sound_play(sound, "music", "/no/such/file", false, NULL, NULL, NULL) != RC_FILE_FAILED) return 1;
  check("play", rc_sound_play(sound, "music", argv[4], true, queue, on_file, NULL));
  AWAIT("voice and music", hears(VOICE) && hears(MUSIC) && began > 1);
  check("mute", rc_sound_set_channel(sound, "voice", 0, true, true));
  AWAIT("music alone", misses(VOICE) && hears(MUSIC));
  check("pause", rc_sound_set_file(sound, "music", 1, true));
  check("unmute", rc_sound_set_channel(sound, "voice", 0, false, true));
  AWAIT("voice alone", hears(VOICE) && misses(MUSIC));
  check("resume", rc_sound_set_file(sound, "music", 0.8, false));

  /* An octave higher: the voice, but not the music, which has no effects. */
  check("no effects", rc_sound_set_channel(sound, "music", 0, false, false));
  rc_effect pitch = {.type = RC_EFFECT_PITCH, .semitones = 12};
  check("pitch", rc_sound_set_effects(sound, &pitch, 1));
  AWAIT("a higher voice", misses(VOICE) && hears(2 * VOICE) && hears(MUSIC));
  rc_effect reverbs[] = {RC_REVERB_HIGH, RC_ECHO};
  check("reverb", rc_sound_set_effects(sound, reverbs, 2));
  check("dry", rc_sound_set_ear(sound, RC_EAR_DRY, 0));
  rc_reader *own;
  check("ear", rc_sound_read(sound, true, queue, on_ear, NULL, &own));
  AWAIT("the own voice in the ear", tone(ear, VOICE) > 2000 && tone(ear, MUSIC) > 2000);
  check("no effects", rc_sound_set_effects(sound, NULL, 0));

  check("gain", rc_sound_set_gain(sound, -40));
  AWAIT("hardly anything", misses(VOICE) && misses(MUSIC));
  check("gain", rc_sound_set_gain(sound, 0));
  AWAIT("all again", hears(VOICE) && hears(MUSIC));
  rc_voice_options voice = RC_VOICE_OPTIONS_INIT;
  voice.channel = "voice";
  check("voice", rc_sound_set_voice(sound, &voice));
  int64_t start = now_ms();
  AWAIT("voice processing", now_ms() > start + 200);
  check("no voice", rc_sound_set_voice(sound, NULL));

  check("once", rc_sound_play(sound, "music", argv[4], false, queue, on_file, NULL));
  AWAIT("the end of the file", ended == 1 && misses(MUSIC));
  check("remove", rc_sound_remove_channel(sound, "music"));

  /* The studio ends first: its reader ends, and the track is silent. */
  ended = 0;
  rc_sound *last = sound;
  sound = NULL;
  check("release", rc_release(last));
  AWAIT("the end of the studio", ended == 1);
  check("release", rc_release(own));
  leave(anchor);
  leave(listener);
  check("release", rc_release(listening));
  check("release", rc_release(microphone));
  check("close", rc_queue_close(queue));
  check("release", rc_release(queue));
  printf("handles=%zu\n", rc_handle_count());
  return 0;
}
