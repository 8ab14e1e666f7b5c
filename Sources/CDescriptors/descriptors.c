// The compiler notes the embedded file as something that this one depends on: changed descriptors lead to a new program.
#include "descriptors.h"

#pragma clang diagnostic ignored "-Wc23-extensions"

static const unsigned char packed[] = {
#embed "descriptors.binpb.gz"
};

const void *descriptor_set(size_t *size) {
  *size = sizeof packed;
  return packed;
}
