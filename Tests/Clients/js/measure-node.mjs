// A measurement of measure.mjs with the SDK in Node, which speaks gRPC; prints JSON.
//
//     FIREBASE_JS=FOLDER node measure-node.mjs HOST:PORT latency COLLECTION ROUNDS new|warm
//     FIREBASE_JS=FOLDER node measure-node.mjs HOST:PORT load COLLECTION COUNT
import { client, fs } from './checks.mjs';
import * as measure from './measure.mjs';

const [what, name, number, kind] = process.argv.slice(3);
console.log(JSON.stringify(await measure[what]({ fs, client: (project) => client(project) }, name, Number(number), kind)));
process.exit(0);
