//! What `--help` prints.

pub(crate) const USAGE: &str = "\
Prints the events of a stream of Server-Sent Events as they come.

Usage: eventwire [--json] [FILE | -]
       eventwire [--json] [--follow] [--last-event-id ID] [--post BODY]
                 [--header 'NAME: VALUE']... URL

  URL         an http:// or https:// address that answers with text/event-stream
  FILE        a file that holds an event stream
  -           standard input
              Without any of them: a chat stream served on the loopback interface.

Options:
  --json      one JSON object a line, with the keys event, data and id
  -h, --help  this text

Options for a URL:
  -f, --follow          connect again whenever the connection is no more, and go
                        on after the last event; each time one line on standard
                        error says why, and how long it is waited before
  --last-event-id ID    begin after the event of this ID, as far as the server
                        still has those that came then
  --post BODY           send BODY by POST, as application/json: the text itself,
                        @FILE for what is in a file, @- for standard input. It
                        is not sent again once an event has come
  --header 'NAME: VALUE'
                        add this to the request, such as 'Authorization: Bearer
                        KEY'; it goes before Accept, Cache-Control and
                        Content-Type. May be given several times

Without --json an event is printed as its type, its ID in brackets, and its data;
control characters are shown as escapes. Colours can be turned off with NO_COLOR.

Exit code:
  0  the stream ended between two events, or nobody reads the output any more;
     with --follow, the server said by 204 No Content that there is no more
  1  the stream could not be read to its end, or something of it could not be
     printed: an event that was cut off, or that is larger than 16 MiB. One line
     on standard error says what, and every other event has been printed.
     With --follow, the server refused in a way that will not change
";
