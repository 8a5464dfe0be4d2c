/* The message of a thread's last failure. Not installed. */
#ifndef ROOMCLIENT_LAST_ERROR_H
#define ROOMCLIENT_LAST_ERROR_H

#include "roomclient.h"

/* Copies the message for rc_last_error; cuts it to 511 bytes, at the end of a character. */
void rc_set_last_error(const char *message);

#endif
