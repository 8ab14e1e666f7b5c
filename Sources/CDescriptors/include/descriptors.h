// What reflection serves: a google.protobuf.FileDescriptorSet, packed by gzip. Written by Scripts/generate-protos.
#ifndef DOCSTORE_DESCRIPTORS_H
#define DOCSTORE_DESCRIPTORS_H

#include <stddef.h>

/// The packed bytes, which belong to the program, and how many they are.
const void *descriptor_set(size_t *size);

#endif
