// The head that all pages share.
document.querySelector("header").insertAdjacentHTML("beforeend", `
<button id="menu" class="plain" aria-expanded="false">Menu</button>
<nav aria-label="Site">
<a href="orders.html">Orders</a> <a href="form.html">Contact</a> <a href="files.html">Files</a>
<a href="board.html">Board</a> <a href="account.html">Account</a>
</nav>`);
const menu = document.getElementById("menu");
menu.onclick = () => menu.setAttribute("aria-expanded", menu.nextElementSibling.classList.toggle("open"));
