#include "CDigest.h"

#include <sys/types.h>

#include <md5.h>
#include <sha2.h>

_Static_assert(MD5_DIGEST_LENGTH == docstore_md5_bytes, "MD5");
_Static_assert(SHA256_DIGEST_LENGTH == docstore_sha256_bytes, "SHA-256");

void docstore_md5(const void *bytes, size_t count, uint8_t *digest) {
  MD5_CTX state;
  MD5Init(&state);
  MD5Update(&state, bytes, count);
  MD5Final(digest, &state);
}

void docstore_sha256(const void *bytes, size_t count, uint8_t *digest) {
  SHA2_CTX state;
  SHA256Init(&state);
  SHA256Update(&state, bytes, count);
  SHA256Final(digest, &state);
}
