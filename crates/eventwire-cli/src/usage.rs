//! What `--help` prints.

pub(crate) const USAGE: &str = "\
Prints the events of a Server-Sent Events stream as they arrive.

Usage: eventwire [--json] [FILE | -]
       eventwire [--json] [--follow] [--last-event-id ID] [--post BODY]
                 [--header 'NAME: VALUE']... URL

Arguments:
  URL   an http:// or https:// URL that serves text/event-stream
  FILE  a file that contains an event stream
  -     standard input

  Without an argument, it serves a demo chat stream on the loopback interface
  and prints its events.

Options:
      --json     Print each event as one line of JSON with the keys event, data
                 and id
  -h, --help     Print this help
  -V, --version  Print the version

Options for a URL:
  -f, --follow   Reconnect when the connection drops, and continue after the
                 last event. Each time, one line on standard error gives the
                 reason and the delay
      --last-event-id ID
                 Start after the event with this ID, if the server still has
                 the events that followed it
      --post BODY
                 Send a POST with this body, as application/json. @FILE reads
                 the body from a file, @- from standard input. With --follow,
                 a POST is sent again only if it was not carried out: if
                 there was no connection, or the server answered 429 or 503
      --header 'NAME: VALUE'
                 Add a header, such as 'Authorization: Bearer KEY'. It replaces
                 the default Accept, Cache-Control or Content-Type. Can be
                 repeated

Output:
  Each event is printed as its type, its ID in brackets if it has one, and its
  data. Control characters are escaped. On a terminal the type and the ID are
  coloured, unless NO_COLOR is set.

Exit codes:
  0  The stream ended after a complete event, or the output was closed. With
     --follow, a GET ends when the server answers 204 No Content
  1  The command line is wrong, the stream could not be read to its end, or an
     event was not printed because it was cut off or larger than 16 MiB. One
     line on standard error says what went wrong; all other events are printed
";
