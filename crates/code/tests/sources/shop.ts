export type Name = string | { first: string }
export interface Priced<T = number> extends Base {
  readonly price: T
  total(count: number): T
  on: (event: string) => void
}
export const enum Color { Red, Green }
declare module Shop { function open(): void }

export const LIMIT: number = 3
export const parse = <T,>(text: string): Array<T> => JSON.parse(text)

export abstract class Cart<T extends { id: number }> implements Priced {
  private handler: (event: Event) => void = (event) => { this.add(event) }
  constructor(private readonly name: string, public items: T[] = []) { super() }
  protected abstract count(): number
  find(id: number): T
  find(id: string): T
  find(id: any): { item: T; at: number } {
    return { item: this.items[id], at: id }
  }
  @decorated({ a: 1 })
  public async save<K extends keyof T>(key: K, then?: (value: T[K]) => void): Promise<Map<string, T>> {
    const inner = (a: string): boolean => a < "b"
    return new Map()
  }
}

function assert(value: unknown): asserts value is string {}
export default function (options: { a: () => void }) {}
