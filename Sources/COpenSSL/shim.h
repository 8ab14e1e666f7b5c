// OpenSSL, and as functions what its headers have as macros, which Swift cannot call.
#ifndef DOCSTORE_OPENSSL_H
#define DOCSTORE_OPENSSL_H

#include <openssl/bio.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>

static inline int docstore_tls_from_1_2(SSL_CTX *context) {
  return SSL_CTX_set_min_proto_version(context, TLS1_2_VERSION) == 1;
}

static inline int docstore_tls_until_1_2(SSL_CTX *context) {
  return SSL_CTX_set_max_proto_version(context, TLS1_2_VERSION) == 1;
}

static inline int docstore_add_to_chain(SSL_CTX *context, X509 *certificate) {
  return SSL_CTX_add1_chain_cert(context, certificate) == 1;
}

// What an idle connection needs no buffers for is given back; and no session is remembered, as tickets are their clients'.
static inline void docstore_keep_little(SSL_CTX *context) {
  SSL_CTX_set_mode(context, SSL_MODE_RELEASE_BUFFERS | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER);
  SSL_CTX_set_session_cache_mode(context, SSL_SESS_CACHE_OFF);
  SSL_CTX_set_options(context, SSL_OP_NO_RENEGOTIATION | SSL_OP_NO_COMPRESSION);
}

static inline int docstore_ask_for_name(SSL *connection, const char *name) {
  return SSL_set_tlsext_host_name(connection, name) == 1;
}

static inline int docstore_is_refusal_to_renegotiate(int where, int what) {
  return (where & SSL_CB_WRITE_ALERT) == SSL_CB_WRITE_ALERT && (what & 0xff) == SSL_AD_NO_RENEGOTIATION;
}

static inline void docstore_wait_for_bytes(BIO *bio) { BIO_set_retry_read(bio); }

static inline void docstore_wait_for_nothing(BIO *bio) { BIO_clear_retry_flags(bio); }

// Whether the last PEM block has been read, and so the failure to find another is none.
static inline int docstore_is_end_of_pem(void) {
  unsigned long error = ERR_peek_last_error();
  return ERR_GET_LIB(error) == ERR_LIB_PEM && ERR_GET_REASON(error) == PEM_R_NO_START_LINE;
}

#endif
