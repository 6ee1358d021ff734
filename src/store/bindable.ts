// The last gate before a driver. libsql ends the process, uncatchably, when it is given a boolean, Date, Buffer or
// object, and cuts text at a NUL; PostgreSQL refuses a NUL. Both databases get the same values, checked here.
import type { Dialect, Driver } from "kysely";

export type Bindable = string | number | bigint | null;

export function bindable(value: unknown): Bindable {
  if (typeof value === "string") return value.includes("\0") ? value.replaceAll("\0", "\u2400") : value;
  if (typeof value === "number" || typeof value === "bigint" || value === null) return value;
  throw new TypeError(`a database parameter must be text, a number or null, not ${typeof value}`);
}

/** The same dialect, with every parameter of every query checked. */
export function withBindableParameters(dialect: Dialect): Dialect {
  return {
    createAdapter: () => dialect.createAdapter(),
    createIntrospector: (db) => dialect.createIntrospector(db),
    createQueryCompiler: () => dialect.createQueryCompiler(),
    createDriver: () => checked(dialect.createDriver()),
  };
}

function checked(driver: Driver): Driver {
  // Connections come back from a pool again and again, and hold private fields: each is changed in place, once.
  const known = new WeakSet<object>();
  const acquire = driver.acquireConnection.bind(driver);
  driver.acquireConnection = async () => {
    const connection = await acquire();
    if (!known.has(connection)) {
      known.add(connection);
      const execute = connection.executeQuery.bind(connection);
      connection.executeQuery = async (query) => execute({ ...query, parameters: query.parameters.map(bindable) });
    }
    return connection;
  };
  return driver;
}
