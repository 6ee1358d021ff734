// What went wrong with a database, said so that an operator knows what to do.

/** An operator can do something about it; the message says what. */
export class StoreProblem extends Error {
  override name = "StoreProblem";
}

interface Coded {
  code?: unknown;
  message?: unknown;
  errors?: unknown;
}

/** SQLite and file errors, by code; anything else keeps its own words. */
export function sqliteProblem(file: string, cause: unknown): StoreProblem {
  const { code, message } = coded(cause);
  const folder = file.slice(0, file.lastIndexOf("/")) || "/";
  if (/^SQLITE_FULL|^ENOSPC|^EDQUOT/.test(code)) {
    return new StoreProblem(
      `the disk that holds ${file} is full, so nothing more can be kept. Free some space, or set FIRSTFAULT_DATA to a folder on another disk. [store]`,
      { cause },
    );
  }
  if (/^SQLITE_READONLY|^SQLITE_CANTOPEN|^SQLITE_PERM|^EACCES|^EROFS|^EPERM|^ENOENT/.test(code)) {
    return new StoreProblem(
      `${file} cannot be written (${code}). Make ${folder} writable for the user that runs firstfault, or set FIRSTFAULT_DATA to a folder that is. [store]`,
      { cause },
    );
  }
  if (/^ENOTDIR|^EEXIST|^EISDIR/.test(code)) {
    return new StoreProblem(
      `${folder} cannot be used as a folder (${code}): something else has that name. Set FIRSTFAULT_DATA to a folder. [store]`,
      { cause },
    );
  }
  if (/^SQLITE_NOTADB|^SQLITE_CORRUPT/.test(code)) {
    return new StoreProblem(
      `${file} is not a database of firstfault, or is damaged (${code}). Put back a backup, or move the file away to begin anew. [store]`,
      { cause },
    );
  }
  if (/^SQLITE_BUSY/.test(code)) {
    return new StoreProblem(
      `${file} is being written by another process for more than five seconds. Run one firstfault on it, or use PostgreSQL (DATABASE_URL). [store]`,
      { cause },
    );
  }
  return new StoreProblem(`the database ${file} failed: ${message} [store]`, { cause });
}

export function postgresProblem(url: string, cause: unknown): StoreProblem {
  const where = withoutPassword(url);
  const { code, message } = coded(cause);
  const said = (why: string): StoreProblem => new StoreProblem(`${why} [store]`, { cause });
  if (code === "ECONNREFUSED") return said(`nothing listens at ${where}. Start PostgreSQL, or correct DATABASE_URL.`);
  if (code === "ENOTFOUND" || code === "EAI_AGAIN")
    return said(`the host in DATABASE_URL (${where}) has no address. Correct DATABASE_URL.`);
  if (code === "ETIMEDOUT" || /timeout/i.test(message))
    return said(`${where} does not answer. Check the address in DATABASE_URL and the network on the way.`);
  if (code === "28P01" || code === "28000")
    return said(`${where} refuses the user or password. Correct them in DATABASE_URL.`);
  if (code === "3D000")
    return said(`the database named in DATABASE_URL (${where}) does not exist. Create it, or correct the name.`);
  if (code === "42501")
    return said(`the user in DATABASE_URL (${where}) may not create tables there. Grant CREATE on the schema.`);
  if (code === "53100") return said(`the disk of the database at ${where} is full. Free some space there.`);
  if (code.startsWith("57P") || code.startsWith("08"))
    return said(`the database at ${where} went away (${code}). It is used again as soon as it is back.`);
  return said(`the database at ${where} failed: ${message}`);
}

/** Addresses appear in messages and logs; passwords never. */
export function withoutPassword(url: string): string {
  if (!URL.canParse(url)) return "DATABASE_URL";
  const parsed = new URL(url);
  return `postgres://${parsed.username ? `${parsed.username}@` : ""}${parsed.host}${parsed.pathname}`;
}

function coded(cause: unknown): { code: string; message: string } {
  const error = (typeof cause === "object" && cause !== null ? cause : {}) as Coded;
  // Node gathers the failures of several addresses into one error without a message.
  const inner = Array.isArray(error.errors) ? (error.errors[0] as Coded | undefined) : undefined;
  return {
    code: String(error.code ?? inner?.code ?? ""),
    message: String(error.message || inner?.message || cause),
  };
}
