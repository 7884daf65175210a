// The user interface of the page. The program in Rust reads the streams, and calls the methods of three views: an
// answer of the chat, an answer of the talk, and the live feed. `wasm/src/views.rs` describes them.

import { startChat } from './chat.js'
import { byId } from './dom.js'
import { startLive } from './live.js'
import { startTalk } from './talk.js'
import { startWire } from './wire.js'

/** Starts the page with the functions that the program exports. */
export function start({ chat, talk, live }) {
  startWire(byId('wire-toggle'))
  startChat(chat)
  startTalk(talk)
  startLive(live)
  document.body.dataset.ready = 'true'
}
