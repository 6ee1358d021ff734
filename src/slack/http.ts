// HTTP: our own look at every request before Bolt has it. Bolt 5.1 ends the process on a signed body of `null`.
import type { IncomingMessage, ServerResponse } from "node:http";
import { HTTPModuleFunctions, HTTPReceiver } from "@slack/bolt";
import { isObject } from "./delivery.ts";
import type { RecordSlack } from "./happened.ts";
import type { InboxReceiver } from "./inbox-receiver.ts";

export const EVENTS_PATH = "/slack/events";

export interface HttpDeps {
  signingSecret: string;
  inbox: Pick<InboxReceiver, "processEvent">;
  logger: NonNullable<ConstructorParameters<typeof HTTPReceiver>[0]["logger"]>;
  record: RecordSlack;
}

/** Handles one request to EVENTS_PATH; never rejects. */
export function createHttp({ signingSecret, inbox, logger, record }: HttpDeps) {
  const receiver = new HTTPReceiver({ signingSecret, endpoints: EVENTS_PATH, logger });
  // Bolt itself comes after the inbox.
  receiver.init({ processEvent: inbox.processEvent } as unknown as Parameters<typeof receiver.init>[0]);

  return async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    try {
      const buffered = await HTTPModuleFunctions.parseAndVerifyHTTPRequest(
        { enabled: true, signingSecret, logger, bodyLimit: HTTPModuleFunctions.defaultBodyLimit },
        request,
        response,
      );
      if (!isObject(parse(() => HTTPModuleFunctions.parseHTTPRequestBody(buffered))))
        return refuse(response, 400, "not-an-object");
      receiver.requestListener(request, response);
    } catch (error) {
      if (HTTPModuleFunctions.isRawBodyError(error)) return refuse(response, 413, "too-large");
      refuse(response, 401, "bad-signature");
    }
  };

  function refuse(
    response: ServerResponse,
    status: number,
    why: "bad-signature" | "not-an-object" | "too-large",
  ): void {
    record({ kind: "delivery-refused", why });
    if (!response.headersSent) response.writeHead(status);
    response.end();
  }
}

function parse(read: () => unknown): unknown {
  try {
    return read();
  } catch {
    return null;
  }
}
