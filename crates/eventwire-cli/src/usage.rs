//! The text of `--help`.

pub(crate) const USAGE: &str = "\
Prints the events of a Server-Sent Events stream as they arrive.

Usage: eventwire [--json] [--comments] [--timestamps] [FILE | -]
       eventwire [--json] [--comments] [--timestamps] [--follow]
                 [--last-event-id ID] [--post BODY]
                 [--header 'NAME: VALUE']... URL

Arguments:
  URL   an http:// or https:// URL that serves text/event-stream
  FILE  a file that contains an event stream
  -     standard input

  Without an argument, it serves a demo chat stream on the loopback interface
  and prints its events.

Options:
      --json     Print each event as one line of JSON with the keys event, data
                 and id, and retry, in milliseconds, if the event sets it
      --comments
                 Print comments too: as text they start with a colon, in JSON
                 they are objects with the key comment
      --timestamps
                 Print the time at which each event or comment arrived, in UTC,
                 such as 2026-01-31T23:59:59.999Z: before the text, or in JSON
                 as the first key, time
  -h, --help     Print this help
  -V, --version  Print the version

Options for a URL:
  -f, --follow   Reconnect when the connection drops, and continue after the
                 last event. One line on standard error for each reconnection
                 gives the reason and the delay
      --last-event-id ID
                 Start after the event with this ID, if the server still has
                 the events that followed it
      --post BODY
                 Send a POST with this body, as application/json. @FILE reads
                 the body from a file, @- from standard input. With --follow,
                 a POST is sent again only if no connection was made, or if the
                 server answered 429
      --header 'NAME: VALUE'
                 Add a header, such as 'Authorization: Bearer KEY'. It replaces
                 the default Accept, Cache-Control or Content-Type. Can be
                 repeated
  Redirects are followed, up to 10, but not from https:// to http://, and with
  --post or --header not to another scheme, host or port.

Compressed streams:
  Use another program to decompress them:
    curl -sN --compressed URL | eventwire -
    gunzip -c FILE | eventwire -

Output:
  Each event is printed as its type, its ID in brackets if it has one, and its
  data. An ID of more than 64 bytes is printed only with the event that sets
  it: with the events after it there is […], and in JSON no key id. Control
  characters, and characters that reorder or hide text, are escaped. On a
  terminal the type and the ID are coloured, unless NO_COLOR is set.

Exit codes:
  0  The stream ended after a complete event, or the output was closed. With
     --follow, a GET ends when the server answers 204 No Content. A stream
     without events is valid if it is empty, or has only comments or fields
     without data. If it ends and nothing was printed, one line on standard
     error says so
  1  The command line is wrong, the input cannot be opened, is not an event
     stream or cannot be read to its end, the last event is truncated, the
     output cannot be written, or an event is larger than 16 MiB (with
     --comments, an event or a comment). One line on standard error gives the
     reason. After an event that is too large, the program continues
";
