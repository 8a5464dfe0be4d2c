#include "LastError.h"

#include <stdlib.h>
#include <string.h>

static _Thread_local char last_error[512];

void rc_set_last_error(const char *message) {
  size_t length = strlen(message);
  if (length >= sizeof last_error) {
    length = sizeof last_error - 1;
    /* A byte 10xxxxxx continues a character. */
    while (length > 0 && ((unsigned char)message[length] & 0xc0) == 0x80) length--;
  }
  memcpy(last_error, message, length);
  last_error[length] = 0;
}

const char *rc_last_error(void) { return last_error; }

void rc_string_free(char *text) { free(text); }

void rc_bytes_free(uint8_t *bytes) { free(bytes); }

uint32_t rc_version(void) { return RC_VERSION_MAJOR * 10000 + RC_VERSION_MINOR * 100 + RC_VERSION_PATCH; }
