// Runs a prepared folder's `suite.js` with the folder's own Mocha, for sdk_mocha.py. Every test's outcome is a line of JSON
// in the file that RESULTS names: suites write to the output as they like.
//   node node_suite.cjs FOLDER MILLISECONDS [TEXT]    how long a test may take; what the full titles of those wanted have
const { generateKeyPairSync } = require('node:crypto');
const fs = require('node:fs');
const path = require('node:path');
const { createRequire } = require('node:module');

const [folder, timeout, titled] = process.argv.slice(2);
const suite = path.resolve(folder, 'suite.js');
const results = fs.openSync(process.env.RESULTS, 'a');
const Mocha = createRequire(suite)('mocha');

function titles(runnable) {
  const found = [];
  for (let at = runnable; at && at.title; at = at.parent) found.unshift(at.title);
  return found.join(' > ');
}

function keep(runnable, state, error) {
  const test = {
    title: titles(runnable), state, seconds: (runnable.duration || 0) / 1000,
    error: error ? String(error.stack || error.message || error).slice(0, 4000) : null,
  };
  fs.writeSync(results, JSON.stringify(test) + '\n');
}

function reporter(runner) {
  runner.on('pass', test => keep(test, 'passed'));
  runner.on('fail', (test, error) => keep(test, 'failed', error));
  runner.on('pending', test => keep(test, 'pending'));
}

// Over REST Google's client asks for credentials, emulator or not, and sends what they give instead of `Bearer owner`. With a
// service account's key it signs a token itself and asks nobody for one; every key will do.
function makeCredentials(file) {
  const { privateKey } = generateKeyPairSync('rsa', {
    modulusLength: 2048,
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
    publicKeyEncoding: { type: 'spki', format: 'pem' },
  });
  fs.writeFileSync(file, JSON.stringify({
    type: 'service_account', project_id: process.env.GCLOUD_PROJECT, private_key_id: '1', private_key: privateKey,
    client_email: 'suite@example.test', client_id: '1',
  }));
  process.env.GOOGLE_APPLICATION_CREDENTIALS = file;
}

if (process.env.FIRESTORE_PREFER_REST) makeCredentials(process.env.RESULTS + '-credentials.json');
const mocha = new Mocha({ ui: 'bdd', timeout: Number(timeout), retries: 0, reporter });
if (titled) mocha.fgrep(titled);
mocha.addFile(suite);
// What tests left open (clients, streams) would keep the process alive.
mocha.run(() => process.exit(0));
