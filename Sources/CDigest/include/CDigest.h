// MD5 and SHA-256 of libmd, without its headers: those bring types of the system with them, which Swift would take to be ours.
#ifndef CDIGEST_H
#define CDIGEST_H

#include <stddef.h>
#include <stdint.h>

enum { docstore_md5_bytes = 16, docstore_sha256_bytes = 32 };

void docstore_md5(const void *bytes, size_t count, uint8_t *digest);
void docstore_sha256(const void *bytes, size_t count, uint8_t *digest);

#endif
