// Measurements that are the same in Node and in a page. `t` offers `fs`, `client(project, {transport})`, `Seen`.

/** Milliseconds from onSnapshot() to the first snapshot of the server, for each round. */
export async function latency(t, name, rounds, kind, transport) {
  const times = [];
  const measure = async (db, n) => {
    // Another query each time: the client would answer a known one from memory.
    const query = t.fs.query(t.fs.collection(db, name), t.fs.where('n', '>=', -n), t.fs.orderBy('n'));
    const began = performance.now();
    await new Promise((resolve, reject) => {
      t.fs.onSnapshot(query, { includeMetadataChanges: true }, (now) => { if (!now.metadata.fromCache) resolve(now.size); }, reject);
    });
    return performance.now() - began;
  };
  const warm = kind === 'warm' ? t.client('demo-latency', { transport }) : null;
  // The first one loads code and is not counted.
  for (let n = 0; n <= rounds; n++) {
    const db = warm ?? t.client('demo-latency', { transport });
    const took = await measure(db, n + 1);
    if (n > 0) times.push(took);
    if (!warm) await t.fs.terminate(db);
  }
  return times;
}

/** Milliseconds until a listener holds a whole collection. */
export async function load(t, name, count, transport) {
  const db = t.client('demo-latency', { transport });
  const began = performance.now();
  const size = await new Promise((resolve, reject) => {
    t.fs.onSnapshot(t.fs.collection(db, name), { includeMetadataChanges: true },
      (now) => { if (!now.metadata.fromCache) resolve(now.size); }, reject);
  });
  const took = performance.now() - began;
  if (size !== count) throw new Error(`${size} documents instead of ${count}`);
  await t.fs.terminate(db);
  return took;
}
