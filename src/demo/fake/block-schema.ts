// Block Kit as Slack checks it: what each block, element and text may hold, and nothing besides.
// https://docs.slack.dev/reference/block-kit
import * as z from "zod";

const id = z.string().min(1).max(255);
const plain = (max: number) =>
  z.strictObject({
    type: z.literal("plain_text"),
    text: z.string().min(1).max(max),
    emoji: z.boolean().optional(),
  });
const mrkdwn = (max: number) =>
  z.strictObject({
    type: z.literal("mrkdwn"),
    text: z.string().min(1).max(max),
    verbatim: z.boolean().optional(),
  });
const anyText = (max: number) => z.discriminatedUnion("type", [plain(max), mrkdwn(max)]);

const confirm = z.strictObject({
  title: plain(100),
  text: anyText(300),
  confirm: plain(30),
  deny: plain(30),
  style: z.enum(["primary", "danger"]).optional(),
});
const style = z.enum(["primary", "danger"]);
const action = { action_id: id, confirm: confirm.optional(), focus_on_load: z.boolean().optional() };
const placeholder = plain(150).optional();

const option = z.strictObject({
  text: plain(75),
  value: z.string().max(150),
  description: plain(75).optional(),
});
const linkedOption = option.extend({ url: z.string().max(3000).optional() });
const richOption = z.strictObject({
  text: anyText(75),
  value: z.string().max(150),
  description: anyText(75).optional(),
});
const options = z.array(option).min(1).max(100);
const group = z.strictObject({ label: plain(75), options });

const button = z.strictObject({
  type: z.literal("button"),
  ...action,
  text: plain(75),
  url: z.string().max(3000).optional(),
  value: z.string().max(2000).optional(),
  style: style.optional(),
  accessibility_label: z.string().max(75).optional(),
});
const overflow = z.strictObject({
  type: z.literal("overflow"),
  ...action,
  options: z.array(linkedOption).min(1).max(5),
});
const image = z.strictObject({
  type: z.literal("image"),
  image_url: z.string().min(1).max(3000),
  alt_text: z.string().min(1).max(2000),
});
const staticSelect = z.strictObject({
  type: z.literal("static_select"),
  ...action,
  placeholder,
  options: options.optional(),
  option_groups: z.array(group).min(1).max(100).optional(),
  initial_option: option.optional(),
});
const usersSelect = z.strictObject({
  type: z.literal("users_select"),
  ...action,
  placeholder,
  initial_user: z.string().optional(),
});
const conversationFilter = z.strictObject({
  include: z
    .array(z.enum(["im", "mpim", "private", "public"]))
    .min(1)
    .optional(),
  exclude_external_shared_channels: z.boolean().optional(),
  exclude_bot_users: z.boolean().optional(),
});
const conversationsSelect = z.strictObject({
  type: z.literal("conversations_select"),
  ...action,
  placeholder,
  initial_conversation: z.string().optional(),
  default_to_current_conversation: z.boolean().optional(),
  response_url_enabled: z.boolean().optional(),
  filter: conversationFilter.optional(),
});
const channelsSelect = z.strictObject({
  type: z.literal("channels_select"),
  ...action,
  placeholder,
  initial_channel: z.string().optional(),
  response_url_enabled: z.boolean().optional(),
});
const many = z.array(richOption).min(1).max(10);
const radioButtons = z.strictObject({
  type: z.literal("radio_buttons"),
  ...action,
  options: many,
  initial_option: richOption.optional(),
});
const checkboxes = z.strictObject({
  type: z.literal("checkboxes"),
  ...action,
  options: many,
  initial_options: many.optional(),
});
const datepicker = z.strictObject({
  type: z.literal("datepicker"),
  ...action,
  placeholder,
  initial_date: z
    .string()
    .regex(/^\d{4}-\d\d-\d\d$/)
    .optional(),
});
const textInput = z.strictObject({
  type: z.literal("plain_text_input"),
  action_id: id,
  focus_on_load: z.boolean().optional(),
  placeholder,
  initial_value: z.string().max(3000).optional(),
  multiline: z.boolean().optional(),
  min_length: z.number().int().min(0).max(3000).optional(),
  max_length: z.number().int().min(1).max(3000).optional(),
  dispatch_action_config: z.strictObject({ trigger_actions_on: z.array(z.string()).optional() }).optional(),
});

const selects = [staticSelect, usersSelect, conversationsSelect, channelsSelect] as const;
const inAction = z.discriminatedUnion("type", [button, overflow, ...selects, radioButtons, checkboxes, datepicker]);
const inSection = z.discriminatedUnion("type", [
  button,
  overflow,
  image,
  ...selects,
  radioButtons,
  checkboxes,
  datepicker,
]);
const inInput = z.discriminatedUnion("type", [textInput, ...selects, radioButtons, checkboxes, datepicker]);

const textStyle = z
  .strictObject({
    bold: z.boolean().optional(),
    italic: z.boolean().optional(),
    strike: z.boolean().optional(),
    code: z.boolean().optional(),
    underline: z.boolean().optional(),
  })
  .optional();
const richText = z.strictObject({ type: z.literal("text"), text: z.string().min(1).max(3000), style: textStyle });
const richLink = z.strictObject({
  type: z.literal("link"),
  url: z
    .string()
    .max(3000)
    .regex(/^(?:https?:\/\/|mailto:)[^\s<>|]+$/),
  text: z.string().max(3000).optional(),
  unsafe: z.boolean().optional(),
  style: textStyle,
});
const inline = z.discriminatedUnion("type", [
  richText,
  richLink,
  z.strictObject({ type: z.literal("user"), user_id: z.string().min(1), style: textStyle }),
  z.strictObject({ type: z.literal("channel"), channel_id: z.string().min(1), style: textStyle }),
  z.strictObject({ type: z.literal("usergroup"), usergroup_id: z.string().min(1), style: textStyle }),
  z.strictObject({ type: z.literal("broadcast"), range: z.enum(["here", "channel", "everyone"]) }),
  z.strictObject({ type: z.literal("emoji"), name: z.string().min(1), unicode: z.string().optional() }),
  z.strictObject({
    type: z.literal("date"),
    timestamp: z.number(),
    format: z.string(),
    url: z.string().optional(),
    fallback: z.string().optional(),
  }),
]);
const section = z.strictObject({ type: z.literal("rich_text_section"), elements: z.array(inline).min(1) });
const border = z.union([z.literal(0), z.literal(1)]).optional();
const richPart = z.discriminatedUnion("type", [
  section,
  z.strictObject({
    type: z.literal("rich_text_preformatted"),
    elements: z.array(z.discriminatedUnion("type", [richText, richLink])).min(1),
    border,
  }),
  z.strictObject({ type: z.literal("rich_text_quote"), elements: z.array(inline).min(1), border }),
  z.strictObject({
    type: z.literal("rich_text_list"),
    style: z.enum(["bullet", "ordered"]),
    elements: z.array(section).min(1),
    indent: z.number().int().min(0).optional(),
    offset: z.number().int().min(0).optional(),
    border,
  }),
]);

const block_id = id.optional();
const Block = z.discriminatedUnion("type", [
  z.strictObject({ type: z.literal("rich_text"), block_id, elements: z.array(richPart).min(1) }),
  z
    .strictObject({
      type: z.literal("section"),
      block_id,
      text: anyText(3000).optional(),
      fields: z.array(anyText(2000)).min(1).max(10).optional(),
      accessory: inSection.optional(),
      expand: z.boolean().optional(),
    })
    .refine(({ text, fields }) => text || fields, { error: "missing required field: text or fields" }),
  z.strictObject({ type: z.literal("header"), block_id, text: plain(150) }),
  z.strictObject({ type: z.literal("divider"), block_id }),
  z.strictObject({
    type: z.literal("context"),
    block_id,
    elements: z
      .array(z.discriminatedUnion("type", [image, plain(3000), mrkdwn(3000)]))
      .min(1)
      .max(10),
  }),
  z.strictObject({ type: z.literal("actions"), block_id, elements: z.array(inAction).min(1).max(25) }),
  image.extend({ block_id, title: plain(2000).optional() }),
  z.strictObject({
    type: z.literal("input"),
    block_id,
    label: plain(2000),
    element: inInput,
    hint: plain(2000).optional(),
    optional: z.boolean().optional(),
    dispatch_action: z.boolean().optional(),
  }),
  z.strictObject({ type: z.literal("markdown"), block_id, text: z.string().min(1).max(12_000) }),
]);

export const MessageBlocks = z.array(Block).max(50);
export const ViewBlocks = z.array(Block).max(100);

export const View = z.strictObject({
  type: z.enum(["modal", "home"]),
  title: plain(24).optional(),
  blocks: ViewBlocks,
  close: plain(24).optional(),
  submit: plain(24).optional(),
  private_metadata: z.string().max(3000).optional(),
  callback_id: z.string().max(255).optional(),
  external_id: z.string().max(255).optional(),
  clear_on_close: z.boolean().optional(),
  notify_on_close: z.boolean().optional(),
  submit_disabled: z.boolean().optional(),
});

/** The same letters, digits and underscores for every app that reads it. */
export const Metadata = z.strictObject({
  event_type: z.string().regex(/^[A-Za-z0-9_]{1,255}$/),
  event_payload: z.record(z.string(), z.unknown()),
});
