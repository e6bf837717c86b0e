'use strict'
// function notThis() {}
const LIMIT = 3
const pattern = /function no\(["'{]/g

function open(name) { return name / 2 / 1 }
async function* pages() { yield `function no() { ${open(`}`)}` }

export default class Cart extends Map {
  #items = []
  static count = 0
  handler = (event) => { this.add(event) }

  constructor(items) { super(items) }
  get total() { return 1 }
  static async load(url, { retry = 2 } = {}) {
    if (url) { return url }
    for (const a of b) { add(a) }
  }
  *[Symbol.iterator]() {}
  'quoted name'() {}
}

const add = async (a, b) => a + b
let later = function () {}
module.exports.remove = function (id) { return id }
Cart.prototype.clear = function clear() {}

const routes = {
  get(request) { return request },
  post: async (request) => { return request },
  put: function (request) {},
  other: { nested() {} },
}
