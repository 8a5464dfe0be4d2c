"""What schemathesis can't know of this API: session descriptions are text."""

import schemathesis


@schemathesis.serializer("application/sdp", "application/trickle-ice-sdpfrag")
def session_description(context, value):
    return value if isinstance(value, bytes) else str(value).encode()
